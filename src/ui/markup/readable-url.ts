// URLs as people read them: without the noise, in their own script, and never so that a trick of writing direction or a
// look-alike control character makes them say something else.

/** What would turn or hide text: controls, bidirectional marks, spaces of every width, unassigned look-alikes of `/`. */
const deceptive = /[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Co}\p{Cn}\u2044\u2215\u29f8\uff0f]/u

/** `%D7%90` becomes its letter, where it is one. */
export function readableUrl(url: string): string {
  return url.replace(/(?:%[89A-F][0-9A-F])+/gi, (encoded) => {
    try {
      const text = decodeURIComponent(encoded)
      return deceptive.test(text) ? encoded : text
    } catch {
      return encoded
    }
  })
}

/** Without `http://` and a lone slash at the end. */
export function briefUrl(url: string): string {
  const brief = readableUrl(url).replace(/^https?:\/\//, '')
  return brief.indexOf('/') === brief.length - 1 ? brief.slice(0, -1) : brief
}
