// A peer's list of site names, as bytes. The question is empty.

import { flag, text } from '../../../formats/wire/message-fields.ts'
import { list, type Out, record } from '../../../formats/wire/message-schema.ts'

export const siteNamesMax = 20_000
const nameBytesMax = 253
/** A list ends early rather than be larger. */
const listBytesMax = 1024 * 1024

const whole = record({
  /** There are more than a list has room for. */
  isMore: flag,
  names: list(text(nameBytesMax), siteNamesMax),
})
export type SiteNameList = Out<typeof whole>

export const siteNames = whole.as<SiteNameList>(
  (given) => given,
  ({ names, isMore }) => {
    let bytes = 0
    const listed = names
      .filter((name) => Buffer.byteLength(name) <= nameBytesMax)
      .slice(0, siteNamesMax)
      .filter((name) => (bytes += Buffer.byteLength(name) + 2) <= listBytesMax)
    return { isMore: isMore || listed.length < names.length, names: listed }
  },
)
