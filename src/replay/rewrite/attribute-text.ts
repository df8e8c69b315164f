// Attribute text: values of attributes as they stand in markup, with their character references and quotes.

import { decodeAttribute as decode } from '../../formats/markup/character-references.ts'

export function decodeAttribute(value: string): string {
  return decode(value, byteString)
}

/** Texts are byte strings here (see text-bytes.ts): a reference becomes the bytes of its character in UTF-8. */
function byteString(codePoint: number): string {
  const character = String.fromCodePoint(codePoint)
  return codePoint < 0x80 ? character : Buffer.from(character).toString('latin1')
}

/** As it may stand between quotes of either kind. */
export function encodeAttribute(value: string): string {
  return /[&"'<>]/.test(value)
    ? value.replace(/[&"'<>]/g, (character) => `&#${character.charCodeAt(0)};`)
    : value
}

/** Of a value that is still written as markup: only the quotes, of which a base may bring some. */
export function encodeQuotes(value: string): string {
  return /["'<>]/.test(value)
    ? value.replace(/["'<>]/g, (character) => `&#${character.charCodeAt(0)};`)
    : value
}
