import { describe, expect, it } from "vitest";
import { readGlb } from "../src/view/glb";

/** A file of one triangle; its node is moved by one metre. */
function file(model: object, binary: ArrayBuffer): ArrayBuffer {
  const text = new TextEncoder().encode(JSON.stringify(model));
  const padded = text.length + (-text.length & 3);
  const data = new DataView(new ArrayBuffer(28 + padded + binary.byteLength));
  [0x46546c67, 2, data.byteLength, padded, 0x4e4f534a].forEach((each, i) => data.setUint32(4 * i, each, true));
  const bytes = new Uint8Array(data.buffer);
  bytes.fill(32, 20, 20 + padded).set(text, 20);
  [binary.byteLength, 0x004e4942].forEach((each, i) => data.setUint32(20 + padded + 4 * i, each, true));
  bytes.set(new Uint8Array(binary), 28 + padded);
  return data.buffer;
}

const MODEL = {
  scenes: [{ nodes: [0] }],
  nodes: [{ children: [1], translation: [1, 0, 0] }, { mesh: 0 }],
  meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
  accessors: [
    { bufferView: 0, componentType: 5126, count: 3, type: "VEC3" },
    { bufferView: 1, componentType: 5123, count: 3, type: "SCALAR" },
  ],
  bufferViews: [{ byteLength: 36 }, { byteOffset: 36, byteLength: 6 }],
};

describe("a GLB file", () => {
  it("gives its triangles where their nodes put them", () => {
    const binary = new ArrayBuffer(44);
    new Float32Array(binary, 0, 9).set([0, 0, 0, 0, 2, 0, 0, 0, 3]);
    new Uint16Array(binary, 36, 3).set([2, 1, 0]);
    const geometry = readGlb(file(MODEL, binary));
    expect([...(geometry.getAttribute("position").array as Float32Array)]).toEqual([1, 0, 0, 1, 2, 0, 1, 0, 3]);
    expect([...(geometry.index?.array ?? [])]).toEqual([2, 1, 0]);
  });

  it("is refused if it is none", () => {
    expect(() => readGlb(new ArrayBuffer(100))).toThrow("no GLB");
  });
});
