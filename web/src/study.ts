/** Whether this page is a study's, which its server marks. */
export const STUDY = document.querySelector("meta[name=study]") !== null;

/** Whether this browser can draw what participants have to see. */
export function canDraw(): boolean {
  try {
    const context = document.createElement("canvas").getContext("webgl2");
    context?.getExtension("WEBGL_lose_context")?.loseContext();
    return context !== null;
  } catch {
    return false;
  }
}

/** The participant's id of a platform, which is a parameter of the page's address. */
export function platformId(parameter: string | null): string | null {
  return (parameter && new URLSearchParams(location.search).get(parameter)?.trim()) || null;
}
