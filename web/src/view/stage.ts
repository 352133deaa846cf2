/**
 * The first-person view. At rest it shows a panorama; on the way to the next viewpoint both panoramas are projected, each
 * from its own place, onto the triangles of the house, so that near things pass by faster than far ones. A house without
 * triangles is a ball around the camera: the picture grows and fades into the next.
 */

import {
  BackSide,
  type BufferGeometry,
  Color,
  CubeCamera,
  type CubeTexture,
  DoubleSide,
  GLSL3,
  HalfFloatType,
  Mesh,
  NearestFilter,
  PerspectiveCamera,
  Scene,
  ShaderMaterial,
  SphereGeometry,
  Vector3,
  WebGLCubeRenderTarget,
  WebGLRenderer,
} from "three";
import type { Pose } from "../events";
import type { Pictures, Plan } from "../house";
import { Panoramas } from "./panoramas";
import { adjoining, between, type Camera, cameraAt, eased } from "./path";
import { DISTANCE_FRAGMENT, FRAGMENT, VERTEX } from "./shaders";

const FIELD = 60; // degrees from top to bottom, as the agent's camera has it
const SKY = 200; // metres
const NO_MESH = 5;
const DISTANCES = 256; // pixels of a face
const SLOWEST = 120; // milliseconds a picture
const PATIENCE = 2; // walks
const NOTHING_THERE = new Color(SKY, SKY, SKY);

interface Way {
  from: Camera;
  to: Camera;
  began: number;
  ms: number;
  meshed: boolean; // whether triangles are drawn on it
}

export class Stage {
  private readonly renderer: WebGLRenderer;
  private readonly camera = new PerspectiveCamera(FIELD, 4 / 3, 0.05, 2 * SKY);
  private readonly scene = new Scene();
  private readonly ball = new Mesh(new SphereGeometry(1, 32, 16));
  private readonly house = new Mesh();
  private readonly bare = new Scene(); // the house alone, to measure how far away it is
  private readonly uniforms = {
    firstPicture: { value: null as CubeTexture | null },
    secondPicture: { value: null as CubeTexture | null },
    firstDistance: { value: null as unknown },
    secondDistance: { value: null as unknown },
    firstPlace: { value: new Vector3() },
    secondPlace: { value: new Vector3() },
    progress: { value: 0 },
    measured: { value: false },
  };
  private readonly gauges: [Gauge, Gauge];
  private readonly panoramas: Panoramas;
  /** Comes when there is a first picture. */
  readonly shown: Promise<void>;
  private arrive: () => void = () => undefined;
  private hasMesh = false;
  private here: Pose | null = null;
  private wanted: Pose | null = null;
  private way: Way | null = null;
  private frame = 0;
  private gone = false;
  private drawn = 0; // pictures of the present way
  private slow = 0; // walks in a row that were drawn too slowly

  constructor(
    canvas: HTMLCanvasElement,
    private readonly plan: Plan,
    pictures: Pictures,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "low-power" });
    this.panoramas = new Panoramas(pictures);
    const material = new ShaderMaterial({
      glslVersion: GLSL3,
      uniforms: this.uniforms,
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      side: DoubleSide,
    });
    const behind = material.clone();
    behind.uniforms = this.uniforms;
    behind.side = BackSide;
    behind.depthWrite = false;
    this.ball.material = behind;
    this.ball.renderOrder = -1;
    this.ball.frustumCulled = false;
    this.house.material = material;
    this.house.visible = false;
    this.scene.add(this.ball, this.house);
    this.gauges = [new Gauge(), new Gauge()];
    this.uniforms.firstDistance.value = this.gauges[0].texture;
    this.uniforms.secondDistance.value = this.gauges[1].texture;
    this.shown = new Promise((arrive) => (this.arrive = arrive));
    canvas.addEventListener("webglcontextrestored", () => this.draw());
  }

  /** The viewpoint that is shown or walked to. */
  get at(): string | null {
    return this.wanted?.viewpoint ?? null;
  }

  /** The triangles of the house, when they have arrived. */
  setMesh(geometry: BufferGeometry): void {
    this.house.geometry = geometry;
    this.bare.add(new Mesh(geometry, this.gauges[0].material));
    this.hasMesh = true;
    this.draw();
  }

  /** How many pixels the view has; its shape stays that of the agent's camera. */
  resize(width: number, height: number): void {
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  /** Goes to a pose in `ms` milliseconds, at once with 0. The promise tells, when its picture is there, whether it is still wanted. */
  async show(pose: Pose, ms: number): Promise<boolean> {
    if (this.here && this.wanted === this.here && same(this.here, pose)) return true;
    this.wanted = pose;
    const texture = await this.panoramas.get(pose.viewpoint);
    if (this.gone || this.wanted !== pose) return false; // somebody wants to be elsewhere by now
    const to = cameraAt(this.plan, pose);
    if (!to) return true;
    const from = this.way ? this.cameraNow() : to;
    const walks = this.here !== null && this.here.viewpoint !== pose.viewpoint;
    const cuts = ms === 0 || this.here === null || (walks && !adjoining(this.plan, this.here.viewpoint, pose.viewpoint));
    if (walks || this.here === null) this.begin(pose, texture, cuts);
    this.here = pose;
    const meshed = walks && !cuts && this.hasMesh;
    this.way = { from: cuts ? to : from, to, began: performance.now(), ms: cuts ? 0 : ms, meshed };
    this.drawn = 0;
    this.tick();
    this.arrive();
    return true;
  }

  /** Fetches panoramas that may be wanted soon. */
  prepare(viewpoints: readonly string[]): void {
    this.panoramas.prepare(viewpoints);
  }

  dispose(): void {
    this.gone = true;
    cancelAnimationFrame(this.frame);
    this.panoramas.dispose();
    this.gauges.forEach((gauge) => gauge.dispose());
    this.house.geometry.dispose();
    this.ball.geometry.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  /** The picture that was second becomes the first, and a new one the second. */
  private begin(pose: Pose, texture: CubeTexture, cuts: boolean): void {
    const place = placeOf(cameraAt(this.plan, pose)?.place ?? [0, 0, 0]);
    const { firstPicture, secondPicture, firstPlace, secondPlace } = this.uniforms;
    firstPicture.value = cuts ? texture : (secondPicture.value ?? texture);
    firstPlace.value.copy(cuts ? place : secondPlace.value);
    secondPicture.value = texture;
    secondPlace.value.copy(place);
    this.uniforms.measured.value = this.hasMesh && !cuts;
    if (this.hasMesh && !cuts) {
      this.gauges[0].measure(this.renderer, this.bare, firstPlace.value);
      this.gauges[1].measure(this.renderer, this.bare, secondPlace.value);
    }
  }

  private cameraNow(): Camera {
    const way = this.way as Way;
    return between(way.from, way.to, eased(this.share()));
  }

  private share(): number {
    return this.way && this.way.ms > 0 ? Math.min(1, (performance.now() - this.way.began) / this.way.ms) : 1;
  }

  private readonly tick = (): void => {
    cancelAnimationFrame(this.frame);
    this.draw();
    this.drawn += 1;
    if (this.share() < 1) this.frame = requestAnimationFrame(this.tick);
    else if (this.way?.meshed) this.judge(this.way.ms);
  };

  /** A machine without a graphics card may take seconds for triangles; it does without them from then on. */
  private judge(ms: number): void {
    this.slow = this.drawn < ms / SLOWEST ? this.slow + 1 : 0;
    if (this.slow >= PATIENCE) this.hasMesh = false;
  }

  private draw(): void {
    if (this.gone || !this.way) return;
    const camera = this.cameraNow();
    this.camera.position.copy(placeOf(camera.place));
    this.camera.rotation.set(camera.elevation, -camera.heading, 0, "YXZ");
    const { firstPlace, secondPlace, progress } = this.uniforms;
    const length = firstPlace.value.distanceTo(secondPlace.value);
    progress.value = length > 0 ? Math.min(1, firstPlace.value.distanceTo(this.camera.position) / length) : 1;
    const walking = progress.value > 0 && progress.value < 1;
    this.house.visible = this.hasMesh && walking;
    this.ball.scale.setScalar(this.hasMesh || !walking ? SKY : NO_MESH);
    this.ball.position.copy(this.camera.position);
    this.renderer.render(this.scene, this.camera);
  }
}

/** How far away the house is from a place, in all directions. */
class Gauge {
  readonly material = new ShaderMaterial({
    glslVersion: GLSL3,
    uniforms: { firstPlace: { value: new Vector3() } },
    vertexShader: VERTEX,
    fragmentShader: DISTANCE_FRAGMENT,
    side: DoubleSide,
  });
  private readonly target = new WebGLCubeRenderTarget(DISTANCES, {
    type: HalfFloatType,
    minFilter: NearestFilter,
    magFilter: NearestFilter,
    generateMipmaps: false,
  });
  private readonly camera = new CubeCamera(0.05, 2 * SKY, this.target);

  get texture(): unknown {
    return this.target.texture;
  }

  measure(renderer: WebGLRenderer, scene: Scene, place: Vector3): void {
    if (this.camera.position.equals(place)) return;
    this.camera.position.copy(place);
    this.material.uniforms["firstPlace"]?.value.copy(place);
    scene.overrideMaterial = this.material;
    scene.background = null;
    renderer.setClearColor(NOTHING_THERE);
    this.camera.update(renderer, scene);
  }

  dispose(): void {
    this.target.dispose();
    this.material.dispose();
  }
}

function placeOf([x, y, z]: readonly [number, number, number]): Vector3 {
  return new Vector3(x, z, -y);
}

function same(a: Pose, b: Pose): boolean {
  return a.viewpoint === b.viewpoint && a.heading === b.heading && a.row === b.row;
}
