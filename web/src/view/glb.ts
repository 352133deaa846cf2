/** The triangles of a GLB file: positions and corners of all its meshes, with their nodes' places. Nothing else is read. */

import { BufferAttribute, BufferGeometry, Matrix4, Quaternion, Vector3 } from "three";

interface Accessor {
  bufferView: number;
  byteOffset?: number;
  componentType: number;
  normalized?: boolean;
  count: number;
  type: "SCALAR" | "VEC3";
}

interface Node {
  mesh?: number;
  children?: number[];
  matrix?: number[];
  translation?: [number, number, number];
  rotation?: [number, number, number, number];
  scale?: [number, number, number];
}

interface Model {
  scene?: number;
  scenes: { nodes: number[] }[];
  nodes: Node[];
  meshes: { primitives: { attributes: { POSITION: number }; indices?: number }[] }[];
  accessors: Accessor[];
  bufferViews: { byteOffset?: number; byteLength: number; byteStride?: number }[];
}

const MAGIC = 0x46546c67;
const READERS: Record<number, [bytes: number, read: (data: DataView, at: number) => number, largest: number]> = {
  5120: [1, (data, at) => data.getInt8(at), 127],
  5121: [1, (data, at) => data.getUint8(at), 255],
  5122: [2, (data, at) => data.getInt16(at, true), 32767],
  5123: [2, (data, at) => data.getUint16(at, true), 65535],
  5125: [4, (data, at) => data.getUint32(at, true), 4294967295],
  5126: [4, (data, at) => data.getFloat32(at, true), 1],
};

/** One geometry of all triangles in the file. */
export function readGlb(file: ArrayBuffer): BufferGeometry {
  const [model, binary] = chunks(file);
  const points: number[] = [];
  const corners: number[] = [];
  const add = (number: number, parent: Matrix4): void => {
    const node = model.nodes[number] as Node;
    const place = parent.clone().multiply(placeOf(node));
    for (const { attributes, indices } of node.mesh === undefined ? [] : (model.meshes[node.mesh]?.primitives ?? [])) {
      const first = points.length / 3;
      const own = numbers(model, binary, attributes.POSITION);
      for (let i = 0; i < own.length; i += 3) points.push(...new Vector3().fromArray(own, i).applyMatrix4(place).toArray());
      const used =
        indices === undefined ? Array.from({ length: own.length / 3 }, (_, i) => i) : numbers(model, binary, indices);
      for (const corner of used) corners.push(first + corner);
    }
    node.children?.forEach((child) => add(child, place));
  };
  model.scenes[model.scene ?? 0]?.nodes.forEach((number) => add(number, new Matrix4()));
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  geometry.setIndex(new BufferAttribute(new Uint32Array(corners), 1));
  return geometry;
}

function chunks(file: ArrayBuffer): [Model, DataView] {
  const data = new DataView(file);
  if (data.byteLength < 28 || data.getUint32(0, true) !== MAGIC) throw new Error("This is no GLB file.");
  const length = data.getUint32(12, true);
  const model = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 20, length))) as Model;
  return [model, new DataView(file, 28 + length)];
}

function placeOf({ matrix, translation, rotation, scale }: Node): Matrix4 {
  if (matrix) return new Matrix4().fromArray(matrix);
  const turn = new Quaternion(...(rotation ?? [0, 0, 0, 1]));
  return new Matrix4().compose(new Vector3(...(translation ?? [0, 0, 0])), turn, new Vector3(...(scale ?? [1, 1, 1])));
}

function numbers(model: Model, binary: DataView, number: number): number[] {
  const accessor = model.accessors[number] as Accessor;
  const view = model.bufferViews[accessor.bufferView];
  const reader = READERS[accessor.componentType];
  if (!view || !reader) throw new Error("This GLB file holds something unknown.");
  const [bytes, read, largest] = reader;
  const size = accessor.type === "VEC3" ? 3 : 1;
  const stride = view.byteStride ?? bytes * size;
  const start = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
  const unit = accessor.normalized ? largest : 1;
  const values = new Array<number>(accessor.count * size);
  for (let i = 0; i < values.length; i++) {
    values[i] = read(binary, start + Math.floor(i / size) * stride + (i % size) * bytes) / unit;
  }
  return values;
}
