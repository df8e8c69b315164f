// Refresh: the URL in `<meta http-equiv=refresh content="5; url=/next">` and in the header of that name.

/** undefined when it only reloads the page, or is none. */
export function urlOfRefresh(content: string): string | undefined {
  const time = /^\s*[0-9.]+/.exec(content)
  if (time === null) return undefined
  const rest = content.slice(time[0].length)
  const target = rest.replace(/^[\s;,]+/, '')
  if (target === '' || target.length === rest.length) return undefined
  const url = target.replace(/^url\s*=\s*/i, '')
  const quote = url[0]
  if (quote !== '"' && quote !== "'") return url
  const end = url.indexOf(quote, 1)
  return url.slice(1, end === -1 ? undefined : end)
}
