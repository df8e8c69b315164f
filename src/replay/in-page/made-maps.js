// Made maps: import maps that scripts add to a page, which wombat leaves as they are. Those in pages: rewrite/manifest-rewriter.ts.

/** Before wombat is started: it looks at every script that is put into the page. */
export function rewriteMadeMaps({ replay, timestamp }) {
  const { prototype } = window._WBWombat
  const { rewriteScript } = prototype
  const address = (written) =>
    /^(?:https?:|\.{0,2}\/)/i.test(written) &&
    !written.startsWith(`${replay}/web/`) &&
    !written.startsWith('/web/')
      ? `${replay}/web/${timestamp}esm_/${new URL(written, document.baseURI).href}`
      : written
  prototype.rewriteScript = function (element) {
    if (element.type !== 'importmap') return rewriteScript.call(this, element)
    const rewritten = rewrittenMap(element.textContent, address)
    if (rewritten === undefined || rewritten === element.textContent) return false
    element.textContent = rewritten
    return true
  }
}

/** undefined where it is none. */
function rewrittenMap(text, address) {
  const mapped = (imports) =>
    Object.fromEntries(
      Object.entries(imports ?? {}).map(([name, url]) => [
        address(name),
        typeof url === 'string' ? address(url) : url,
      ]),
    )
  try {
    const { imports, scopes } = JSON.parse(text)
    const written = Object.entries(scopes ?? {}).map(([scope, map]) => [address(scope), mapped(map)])
    return JSON.stringify({ imports: mapped(imports), scopes: Object.fromEntries(written) })
  } catch {
    return undefined
  }
}
