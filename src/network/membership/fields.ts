// Reads JSON objects of other peers field by field. An object with an invalid field is refused as a whole.

import { keyBytes, signatureBytes } from './signing.ts'

/** Thrown for what does not fit; whoever reads says what it was. */
export class Unfit extends Error {}

export type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Unfit('not an object')
  return value as Fields
}

export function textIn(fields: Fields, name: string, lengthMax: number): string {
  const value = fields[name]
  if (typeof value !== 'string' || value.length > lengthMax) throw new Unfit(name)
  return value
}

export function bytesIn(fields: Fields, name: string, length: number): Uint8Array {
  const text = textIn(fields, name, 2 * length)
  const bytes = Buffer.from(text, 'base64url')
  // Decoding passes over what is no base64url: only one text stands for these bytes.
  if (bytes.length !== length || bytes.toString('base64url') !== text) throw new Unfit(name)
  return new Uint8Array(bytes)
}

export function keyIn(fields: Fields, name: string): Uint8Array {
  return bytesIn(fields, name, keyBytes)
}

export function signatureIn(fields: Fields, name: string): Uint8Array {
  return bytesIn(fields, name, signatureBytes)
}

/** A whole number that is not negative. */
export function numberIn(fields: Fields, name: string): number {
  const value = fields[name]
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new Unfit(name)
  return value as number
}

export function textsIn(fields: Fields, name: string, countMax: number, lengthMax: number): string[] {
  const value = fields[name]
  if (!Array.isArray(value) || value.length > countMax) throw new Unfit(name)
  return value.map((text) => {
    if (typeof text !== 'string' || text.length > lengthMax) throw new Unfit(name)
    return text
  })
}

export function bytesToText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}
