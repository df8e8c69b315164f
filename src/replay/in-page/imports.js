// Imports: `import(…)` in plain scripts comes here by way of wombat, which forgets what a module is to be read as: JSON, CSS.

export function readImportsAsAsked({ replay, timestamp }) {
  const wombats = window.____wb_rewrite_import__
  window.____wb_rewrite_import__ = (base, url, options) => {
    if (options === undefined) return wombats(base, url)
    const from = base ? window._wb_wombat.extract_orig(base) : window.WB_wombat_location.href
    const address = new URL(String(url), from).href
    return import(`${replay}/web/${timestamp}esm_/${address}`, options)
  }
}
