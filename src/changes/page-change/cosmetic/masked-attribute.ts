// Masked attributes and scripts: the slots of what machines read: addresses with their parameters, identifiers, inline scripts.
//
// Of an address only what cannot be its meaning is a slot: tokens among the parameters and times. A changed path, and a changed
// number in a parameter, is another address.

import { type Masked, maskText, type Shape, type Slot, shapeOfNumber } from './masked-text.ts'
import { isToken, looksRandom } from './token-shape.ts'

const urlAttributes = new Set(
  'href src action formaction poster data data-src data-href data-url background cite longdesc manifest srcset data-srcset imagesrcset'.split(
    ' ',
  ),
)

/** What people read, though it stands in an attribute. */
const textAttributes = new Set('alt title content placeholder aria-label label summary value'.split(' '))

const sessionNames =
  /^(?:s|sid|session|sessionid|session_id|phpsessid|jsessionid|aspsessionid|token|csrf|csrf_token|csrftoken|xsrf|_token|nonce|_wpnonce|wpnonce|authenticity_token|state)$/i
const cacheNames =
  /^(?:v|ver|version|rev|_|t|ts|cb|r|ord|rnd|rand|random|nc|nocache|cachebuster|cache|h|hash|build|bust)$/i

/** `el-3f9a…`: a name before what is random. */
const prefixed = /^((?:[A-Za-z]{2,12}[-_:]+)*)([\s\S]*)$/

const scriptCharsMax = 100_000
const attributeCharsMax = 8_192
const slotsMax = 200

/** Epoch seconds or milliseconds of our time. */
const epoch = /^[12]\d{9}(?:\d{3})?$/

export function maskAttribute(name: string, value: string, isCode: boolean): Masked | undefined {
  if (value.length > attributeCharsMax) return undefined
  if (urlAttributes.has(name) || /^(?:https?:)?\/\//.test(value)) return maskUrls(value, isCode)
  const [, prefix, rest] = prefixed.exec(value)!
  if (isToken(rest!)) return { skeleton: `${prefix}\u0003`, slots: [{ shape: 'token', text: rest!, name }] }
  if (textAttributes.has(name) || /[^\x21-\x7e]/.test(value.replaceAll(' ', ''))) return maskText(value)
  return maskIdentifier(value)
}

export function isSessionName(name: string): boolean {
  return sessionNames.test(name)
}

class Mask {
  #skeleton = ''
  readonly #slots: Slot[] = []

  keep(text: string): void {
    this.#skeleton += text
  }

  slot(shape: Shape, text: string, name = ''): void {
    this.#slots.push({ shape, text, name })
    this.#skeleton += `\u0005${shape}`
  }

  finish(): Masked | undefined {
    return this.#slots.length > slotsMax ? undefined : { skeleton: this.#skeleton, slots: this.#slots }
  }
}

/** One address, or several as in `srcset`. */
function maskUrls(value: string, isCode: boolean): Masked | undefined {
  const mask = new Mask()
  for (const part of value.split(/([\s]+|,\s+)/)) {
    if (part.trim() === '' || /^,\s*$/.test(part)) mask.keep(part)
    else maskUrl(part, isCode, mask)
  }
  return mask.finish()
}

function maskUrl(url: string, isCode: boolean, mask: Mask): void {
  const [, path, query] = /^([^?#]*)([\s\S]*)$/.exec(url)!
  for (const part of path!.split(/(;[^/=;]+=[^/;]*)/)) {
    const parameter = /^;([^=]+)=(.*)$/.exec(part)
    if (parameter !== null) maskParameter(parameter[1]!, parameter[2]!, ';', mask)
    else if (isCode) maskFileName(part, mask)
    else mask.keep(part)
  }
  for (const part of query!.split(/([?&#])/)) {
    const equals = part.indexOf('=')
    if (equals === -1) maskBareQuery(part, isCode, mask)
    else maskParameter(part.slice(0, equals), part.slice(equals + 1), '', mask)
  }
}

function maskBareQuery(part: string, isCode: boolean, mask: Mask): void {
  if (isToken(part) || (isCode && /^\d+$/.test(part))) mask.slot('token', part, '_')
  else mask.keep(part)
}

function maskParameter(name: string, value: string, sign: string, mask: Mask): void {
  mask.keep(`${sign}${name}=`)
  if (epoch.test(value)) mask.slot('time', value, name)
  else if (isToken(value) || cacheNames.test(name) || (sessionNames.test(name) && value.length >= 16))
    mask.slot('token', value, name)
  else mask.keep(value)
}

export function isCacheName(name: string): boolean {
  return cacheNames.test(name)
}

/** `/static/app.3f2a1b9c.js`: the digest in the name of a script or a style sheet. */
function maskFileName(path: string, mask: Mask): void {
  for (const part of path.split(/([/._~-]+)/)) {
    if (isToken(part) || /^\d{8,}$/.test(part)) mask.slot('token', part, 'build')
    else mask.keep(part)
  }
}

function maskIdentifier(value: string): Masked | undefined {
  const mask = new Mask()
  for (const part of value.split(/([^A-Za-z0-9_.:+-]+)/)) {
    const made = toolMade.exec(part)
    if (made !== null) {
      mask.keep(made[1] ?? made[3]!)
      mask.slot('token', made[2] ?? made[4]!)
    } else if (/^\d{4}-\d\d-\d\d/.test(part) || epoch.test(part)) mask.slot('time', part)
    else for (const piece of part.split(/([_:-]+|\d+(?:\.\d+)+)/)) maskPiece(piece, mask)
  }
  return mask.finish()
}

/** Names that tools make: `css-1q2w3e`, and `:r1a:` of React. */
const toolMade = /^((?:css|sc|jss|svelte|emotion)-)([A-Za-z0-9]+)$|^(:?r:?)([a-z0-9]+:)$/

/** A part of an identifier: with a digit in it, it is taken as a whole, for what is random has its digits anywhere. */
function maskPiece(piece: string, mask: Mask): void {
  if (/^\d{6,}$/.test(piece)) mask.slot('token', piece)
  else if (/^\d+(?:\.\d+)*$/.test(piece)) mask.slot(shapeOfNumber(piece), piece)
  else if (looksRandom(piece)) mask.slot('token', piece)
  else mask.keep(piece)
}

const scriptPiece =
  /"(?:[^"\\\n]|\\.){0,4096}"|'(?:[^'\\\n]|\\.){0,4096}'|[A-Za-z_$][\w$-]*|\d+(?:\.\d+)?|\s+|[\s\S]/g

export function maskScript(text: string): Masked | undefined {
  if (text.length > scriptCharsMax) return undefined
  const mask = new Mask()
  let name = ''
  for (const [piece] of text.matchAll(scriptPiece)) {
    const isQuoted = piece.length > 1 && /^["']/.test(piece)
    const content = isQuoted ? piece.slice(1, -1) : piece
    if (epoch.test(content)) mask.slot('time', content, name)
    else if (isQuoted && isToken(content)) mask.slot('token', content, name)
    else if (isQuoted && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(content)) mask.slot('time', content, name)
    else if (/^\d/.test(content)) mask.slot(shapeOfNumber(content), content, name)
    else mask.keep(piece)
    if (/^["']?[A-Za-z_$]/.test(piece)) name = content
  }
  return mask.finish()
}
