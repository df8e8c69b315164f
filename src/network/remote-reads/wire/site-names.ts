// A peer's list of site names, as bytes. The question is empty.

import { MessageReader, MessageWriter } from '../../../formats/wire/message-bytes.ts'

export interface SiteNameList {
  readonly names: readonly string[]
  /** There are more than a list has room for. */
  readonly isMore: boolean
}

export const siteNamesMax = 20_000
const nameBytesMax = 253
/** A list ends early rather than be larger. */
const listBytesMax = 1024 * 1024

export function writeSiteNames({ names, isMore }: SiteNameList): Uint8Array {
  let bytes = 0
  const listed = names
    .filter((name) => Buffer.byteLength(name) <= nameBytesMax)
    .slice(0, siteNamesMax)
    .filter((name) => (bytes += Buffer.byteLength(name) + 2) <= listBytesMax)
  const writer = new MessageWriter()
    .byte(isMore || listed.length < names.length ? 1 : 0)
    .number(listed.length)
  for (const name of listed) writer.text(name)
  return writer.finish()
}

export function readSiteNames(bytes: Uint8Array): SiteNameList {
  const reader = new MessageReader(bytes)
  const isMore = reader.byte() === 1
  const names = Array.from({ length: reader.number(siteNamesMax) }, () => reader.text(nameBytesMax))
  return { names, isMore }
}
