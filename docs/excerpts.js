// The search fetches the pages that it found, to show an excerpt of each. A browser that has opened a file refuses that, so
// there it is given them from pages.js.
if (location.protocol === "file:") {
  const root = new URL(document.documentElement.dataset.content_root ?? "./", location.href).href;
  const fetched = window.fetch.bind(window);
  window.fetch = (wanted, options) => {
    const name = decodeURI(new URL(wanted, location.href).href.split("#")[0].replace(root, ""));
    return name in PAGES ? Promise.resolve(new Response(PAGES[name])) : fetched(wanted, options);
  };
}
