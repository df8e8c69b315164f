// Whether text can be told from its ground: contrast ratios as WCAG counts them, of the stylesheet's own tokens.

/** Which tokens meet as text and ground. */
export const textPairs: readonly (readonly [text: string, ground: string])[] = [
  ['ink', 'paper'],
  ['ink', 'sheet'],
  ['ink', 'raised'],
  ['ink', 'accent-wash'],
  ['ink', 'removed'],
  ['ink', 'added'],
  ['ink', 'removed-mark'],
  ['ink', 'added-mark'],
  ['ink-soft', 'paper'],
  ['ink-soft', 'sheet'],
  ['accent', 'paper'],
  ['accent', 'sheet'],
  ['accent', 'added'],
  ['accent', 'removed'],
  ['accent-ink', 'accent'],
  ['accent-ink', 'good'],
  ['redirect', 'sheet'],
  ['missing', 'paper'],
  ['good', 'paper'],
]

/** A script for the page, which knows what the tokens mean there: gives a name and a ratio for each pair. */
export const contrasts = `(() => {
  const probe = document.body.appendChild(document.createElement('i'))
  const luminance = (token) => {
    probe.style.color = 'var(--' + token + ')'
    const [red, green, blue] = getComputedStyle(probe).color.match(/[0-9.]+/g).map((part) => {
      const share = Number(part) / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  return ${JSON.stringify(textPairs)}.map(([text, ground]) => {
    const [dark, light] = [luminance(text), luminance(ground)].sort((left, right) => left - right)
    return [text + ' on ' + ground, (light + 0.05) / (dark + 0.05)]
  })
})()`
