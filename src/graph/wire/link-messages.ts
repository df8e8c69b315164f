// What peers ask each other of links, as bytes.

import { counter, flag, number, printable, text } from '../../formats/wire/message-fields.ts'
import { list, optional, record, union } from '../../formats/wire/message-schema.ts'
import { linkCharsMax, tryParseLink } from '../../model/url/url.ts'
import { mentionTextBytesMax, relationBytesMax } from '../incoming-links.ts'

/** Of one answer. */
export const linksAnsweredMax = 2_000

const siteBytesMax = 253
const href = text(linkCharsMax).checked((value) => tryParseLink(value)?.href === value, 'a href is no URL')

export const linkQuestion = record({
  isTo: flag,
  of: union('a question about links', { url: { href }, site: { site: printable(siteBytesMax) } }),
  atMs: optional(counter),
  limit: number(linksAnsweredMax),
})

const link = record({
  from: href,
  to: href,
  relation: printable(relationBytesMax),
  isNoFollow: flag,
  text: printable(mentionTextBytesMax),
  firstSeenMs: counter,
  lastSeenMs: counter,
  goneMs: optional(counter),
})

export const linkAnswer = record({ isPartial: flag, links: list(link, linksAnsweredMax) })
