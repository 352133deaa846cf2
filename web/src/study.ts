/** Whether this page is a study's, which its server marks. */
export const STUDY = document.querySelector("meta[name=study]") !== null;
