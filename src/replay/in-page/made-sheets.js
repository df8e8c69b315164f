// Made sheets: style sheets that scripts make of a text, which wombat leaves as they are.

const urlPattern = /(\burl\(\s*["']?)([^"')]+)/gi

export function rewriteMadeSheets() {
  for (const name of ['replace', 'replaceSync']) {
    const native = CSSStyleSheet.prototype[name]
    if (native === undefined) continue
    CSSStyleSheet.prototype[name] = function (text) {
      const rewritten = String(text).replace(
        urlPattern,
        (_all, before, url) => before + window._wb_wombat.rewrite_url(url, true, 'im_'),
      )
      return native.call(this, rewritten)
    }
  }
}
