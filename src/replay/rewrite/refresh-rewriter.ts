// Refresh rewriter: the URL in `<meta http-equiv=refresh content="5; url=/next">`.

const pattern = /^([\t\n\f\r ]*[0-9.]+[\t\n\f\r ;,]+(?:url[\t\n\f\r ]*=[\t\n\f\r ]*)?)(["']?)([\s\S]*)$/i

/** undefined where it only reloads the page, or is none. */
export function rewriteRefresh(
  content: string,
  rewriteLink: (url: string) => string | undefined,
): string | undefined {
  const match = pattern.exec(content)
  if (match === null) return undefined
  const [, before = '', quote = '', rest = ''] = match
  const end = quote === '' ? rest.length : rest.indexOf(quote)
  const url = end === -1 ? rest : rest.slice(0, end)
  const rewritten = rewriteLink(url)
  return rewritten === undefined ? undefined : before + quote + rewritten + quote
}
