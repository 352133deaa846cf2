/** The panoramas of a house as textures, fetched when they are wanted and a few of them kept. */

import { CubeTexture, LinearFilter, LinearMipmapLinearFilter } from "three";
import type { Pictures } from "../house";

const KEPT = 24;

// The faces come as up, south, west, north, east, down; a cube texture wants east, west, up, down, north, south.
const ORDER = [4, 2, 0, 5, 3, 1];

export class Panoramas {
  private readonly kept = new Map<string, Promise<CubeTexture>>();

  constructor(private readonly pictures: Pictures) {}

  /** The panorama of a viewpoint. */
  get(viewpoint: string): Promise<CubeTexture> {
    const found = this.kept.get(viewpoint) ?? this.load(viewpoint);
    this.kept.delete(viewpoint);
    this.kept.set(viewpoint, found); // the one used last stands last
    found.catch(() => this.kept.delete(viewpoint));
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= KEPT) break;
      this.drop(oldest);
    }
    return found;
  }

  /** Fetches what may be wanted soon; what fails now is told when it is wanted. */
  prepare(viewpoints: readonly string[]): void {
    for (const viewpoint of viewpoints) if (!this.kept.has(viewpoint)) this.get(viewpoint).catch(() => undefined);
  }

  dispose(): void {
    for (const viewpoint of [...this.kept.keys()]) this.drop(viewpoint);
  }

  private drop(viewpoint: string): void {
    const texture = this.kept.get(viewpoint);
    this.kept.delete(viewpoint);
    texture?.then(
      (each) => each.dispose(),
      () => undefined,
    );
  }

  private async load(viewpoint: string): Promise<CubeTexture> {
    const addresses = this.pictures[viewpoint];
    if (!addresses) throw new Error("There is no picture of this place.");
    const faces = await Promise.all(ORDER.map((face) => picture(addresses[face] ?? "", face === 0 || face === 5)));
    const texture = new CubeTexture(faces as unknown as HTMLImageElement[]);
    texture.minFilter = LinearMipmapLinearFilter;
    texture.magFilter = LinearFilter;
    texture.generateMipmaps = true;
    texture.needsUpdate = true;
    return texture;
  }
}

/** A picture; ceiling and floor lie the other way round in a cube texture. */
async function picture(address: string, turned: boolean): Promise<HTMLImageElement | HTMLCanvasElement> {
  const image = new Image();
  image.src = address;
  try {
    await image.decode();
  } catch {
    throw new Error("A picture could not be fetched.");
  }
  if (!turned) return image;
  const canvas = document.createElement("canvas");
  canvas.width = image.width;
  canvas.height = image.height;
  const pen = canvas.getContext("2d");
  pen?.rotate(Math.PI);
  pen?.drawImage(image, -image.width, -image.height);
  return canvas;
}
