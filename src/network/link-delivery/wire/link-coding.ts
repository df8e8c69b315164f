// Links as bytes, in three sections that differ in kind and so are compressed each by itself: figures, text, hex digits.
//
// What many links share is written once: jobs, and the facts of a link. Hrefs are front-coded: how much of the one before is
// repeated, then the rest, without its long numbers (digit-folding.ts). Each kind of figure has a column of its own. The order of
// the links is kept; who sorts them by href first saves most.
// What each of these is worth: bench/results/exchange.md.
//
// Invariant: what decodes stays within the limits, whatever the bytes are. Whether a href is a URL the caller finds out.

import assert from 'node:assert/strict'
import { bufferView } from '../../../formats/wire/buffer-view.ts'
import {
  isName,
  MessageMalformed,
  MessageReader,
  MessageWriter,
} from '../../../formats/wire/message-bytes.ts'
import type { LinkMention } from '../../../model/page-link.ts'
import { sharedLength } from '../../../model/url/shared-length.ts'
import { linkCharsMax } from '../../../model/url/url.ts'
import { tooLarge } from '../exchange-error.ts'
import { type LinkFacts, type LinkText, linkKinds } from '../forwarded-link.ts'
import { foldDigits, unfoldDigits } from './digit-folding.ts'
import { decodeMentions, encodeMentions } from './mention-coding.ts'

const linksMax = 65_536
/** Of all hrefs together, spelled out: front-coding makes much of little. */
const charsMax = 8 * 1024 * 1024
export const jobIdBytesMax = 1_000
const numberMax = 2 ** 32 - 1
const prioritySteps = 100

export interface Sections {
  readonly figures: Uint8Array
  readonly text: Uint8Array
  readonly hexes: Uint8Array
  /** Who links to those that are mentions; not there when none is. */
  readonly mentions?: Uint8Array | undefined
}

export function encodeLinks(links: readonly LinkText[]): Sections {
  const jobs = new Numbering()
  const facts = new Numbering()
  const factsWriter = new MessageWriter()
  const factsOf = new MessageWriter()
  for (const link of links) {
    const known = facts.size
    const number = facts.of(factsKey(link))
    if (number === known) writeFacts(factsWriter.number(jobs.of(link.jobId)), link)
    factsOf.number(number)
  }
  const figures = new MessageWriter().number(links.length).number(jobs.size)
  for (const job of jobs.names()) figures.text(job)
  figures.number(facts.size).fixed(factsWriter.finish()).fixed(factsOf.finish())
  const folded = foldDigits(writeShared(figures, links))
  const mentions = links.flatMap(({ mention }) => mention ?? [])
  return {
    figures: figures.fixed(folded.decimals).finish(),
    text: Buffer.from(folded.text, 'latin1'),
    hexes: folded.hexes,
    ...(mentions.length > 0 && { mentions: encodeMentions(mentions) }),
  }
}

export function decodeLinks({ figures, text, hexes, mentions }: Sections): LinkText[] {
  const reader = new MessageReader(figures)
  const count = reader.count()
  if (count > linksMax) throw tooLarge(`it has ${count} links`)
  const jobs = Array.from({ length: reader.count() }, () => reader.name(jobIdBytesMax))
  const facts = Array.from({ length: reader.count() }, () =>
    readFacts(reader, jobs[reader.index(jobs.length)]!),
  )
  const factsOf = Array.from({ length: count }, () => facts[reader.index(facts.length)]!)
  const shared = Array.from({ length: count }, () => reader.number())
  const folded = {
    text: bufferView(text).toString('latin1'),
    decimals: reader.rest(),
    hexes: bufferView(hexes),
  }
  const lines = unfoldDigits(folded).split('\n')
  // Each line has an end, so what is left after the last is nothing.
  if (lines.length !== count + 1 || lines.at(-1) !== '') throw new MessageMalformed('hrefs are missing')
  const hrefs = spelledOut(lines.slice(0, count), shared)
  return withMentions(
    hrefs.map((href, index) => ({ ...factsOf[index]!, href })),
    mentions === undefined ? [] : decodeMentions(mentions),
  )
}

function withMentions(links: readonly LinkText[], mentions: readonly LinkMention[]): LinkText[] {
  let next = 0
  const all = links.map((link) => (link.kind === 'mention' ? { ...link, mention: mentions[next++] } : link))
  if (next !== mentions.length) throw new MessageMalformed('mentions are missing')
  return all
}

/** Who offers a link must say things of it that can be written: else it could never be sent. */
export function checkFacts({ jobId, kind, depth, requisiteHops = 0, redirects = 0 }: LinkFacts): void {
  assert(isName(jobId, jobIdBytesMax), `no name of a job: ${jobId}`)
  assert(linkKinds.includes(kind), `no kind of link: ${kind}`)
  for (const figure of [depth, requisiteHops, redirects])
    assert(Number.isInteger(figure) && figure >= 0 && figure < numberMax, `a link with ${figure} steps`)
}

/** Numbers from 0 for names, in the order of their first use. */
class Numbering {
  readonly #numbers = new Map<string, number>()

  get size(): number {
    return this.#numbers.size
  }

  of(name: string): number {
    const number = this.#numbers.get(name) ?? this.#numbers.size
    if (number === this.#numbers.size) this.#numbers.set(name, number)
    return number
  }

  names(): Iterable<string> {
    return this.#numbers.keys()
  }
}

function factsKey({ kind, depth, priority, requisiteHops, redirects, jobId }: LinkFacts): string {
  return `${kind} ${depth} ${priority} ${requisiteHops} ${redirects} ${jobId}`
}

/** All but the job. */
export function writeFacts(writer: MessageWriter, facts: LinkFacts): MessageWriter {
  const { kind, depth, priority, requisiteHops, redirects } = facts
  return writer
    .byte(linkKinds.indexOf(kind))
    .number(depth)
    .byte(priority === undefined ? 0 : 1 + Math.round(prioritySteps * Math.min(1, Math.max(0, priority))))
    .number(requisiteHops === undefined ? 0 : 1 + requisiteHops)
    .number(redirects === undefined ? 0 : 1 + redirects)
}

export function readFacts(reader: MessageReader, jobId: string): LinkFacts {
  const kind = linkKinds[reader.index(linkKinds.length)]!
  const depth = reader.number()
  const priority = reader.byte()
  const requisiteHops = reader.number()
  const redirects = reader.number()
  if (priority > prioritySteps + 1 || Math.max(depth, requisiteHops, redirects) > numberMax)
    throw new MessageMalformed('a figure is out of range')
  return {
    jobId,
    kind,
    depth,
    ...(priority > 0 && { priority: (priority - 1) / prioritySteps }),
    ...(requisiteHops > 0 && { requisiteHops: requisiteHops - 1 }),
    ...(redirects > 0 && { redirects: redirects - 1 }),
  }
}

/** Writes how much each shares with the one before; gives the rests, a line each. */
function writeShared(writer: MessageWriter, links: readonly LinkText[]): string {
  let before = ''
  let rests = ''
  for (const { href } of links) {
    const shared = sharedLength(before, href)
    writer.number(shared)
    rests += `${href.slice(shared)}\n`
    before = href
  }
  return rests
}

function spelledOut(rests: readonly string[], shared: readonly number[]): string[] {
  let before = ''
  let charsLeft = charsMax
  return rests.map((rest, index) => {
    const length = shared[index]!
    if (length > before.length) throw new MessageMalformed('a href repeats more than there is')
    if (length + rest.length > linkCharsMax) throw new MessageMalformed('a href is too long')
    charsLeft -= length + rest.length
    if (charsLeft < 0) throw tooLarge(`its hrefs have more than ${charsMax} characters`)
    before = before.slice(0, length) + rest
    if (!isPlain(before)) throw new MessageMalformed('a href has characters that URLs do not have')
    return before
  })
}

function isPlain(text: string): boolean {
  return /^[\x21-\x7e]*$/.test(text)
}
