// Script tokens: the few shapes in JavaScript that a script scanner looks ahead for. Patterns are bounded, and tried at one
// place only.

/** What stands between `import` and its specifier, at most. */
export const clauseCharsMax = 2_000

export const namePattern = /[A-Za-z_$\x80-\xff][\w$\x80-\xff]*/y
export const memberPattern =
  /\.[ \n\r\t]*(?:window|globalThis|self|document|location|top|parent|frames|opener)\b/y
export const metaUrlPattern = /\.[ \t]*meta[ \t]*\.[ \t]*url\b/y
export const importPattern = /([\w$*{},\t\n\r \x80-\xff]{0,2000}?(?:\bfrom|\}from)?)[\t\n\r ]*(["'])/y
export const exportPattern =
  /(?:\{[^{}"']{0,2000}\}|\*(?:[\t\n\r ]*as[\t\n\r ]+[\w$]{1,200})?)[\t\n\r ]*(?:from[\t\n\r ]*(["']))?/y
export const exportWordPattern = /(?:default|const|let|var|class|function|async|\{|\*)/y

export function lineLength(text: string, start: number): number {
  const end = text.indexOf('\n', start)
  return (end === -1 ? text.length : end) - start
}

/** Just past its flags, or -1 when a line ends before it does: then it was a division. */
export function endOfRegex(text: string, start: number): number {
  let isInClass = false
  for (let i = start + 1; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code === 0x5c) i += 1
    else if (code === 0x0a || code === 0x0d) return -1
    else if (code === 0x5b) isInClass = true
    else if (code === 0x5d) isInClass = false
    else if (code === 0x2f && !isInClass) {
      let end = i + 1
      while (/[a-z]/i.test(text[end] ?? '')) end += 1
      return end
    }
  }
  return -1
}
