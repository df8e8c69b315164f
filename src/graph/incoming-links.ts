// Incoming links: which pages of other sites link to the pages of a site, as the peers of those sites have told.
//
// They are notes in the site's frontier: its members have copies of them before a batch of links is acknowledged, and they go with the
// site to whoever takes it over (docs/decisions/0075). What a page's own peer knows of its links is not needed to read them.
//
// Bounded: pagesMax pages for each target, the first ones that were told of; a text of a line. What another frontier handed over, or
// the disk has damaged, is read with care.

import { hash } from 'node:crypto'
import { MessageReader, MessageWriter, readableOr } from '../formats/wire/message-bytes.ts'
import type { LinkMention, PageLink } from '../model/page-link.ts'
import type { RingKey } from '../model/ring-key.ts'
import { linkCharsMax, type Url } from '../model/url/url.ts'

/** What of a frontier is needed: things kept with a site, by name. */
export interface SiteNotes {
  get(url: Url, name: string): Uint8Array | undefined
  startingWith(site: RingKey, start: string, limit?: number): Iterable<[name: string, bytes: Uint8Array]>
  put(url: Url, name: string, bytes: Uint8Array | undefined): void
}

export const mentionTextBytesMax = 600
export const relationBytesMax = 100
const pagesMax = 10_000
const version = 1
const linkStart = 'link '
const countStart = 'links '
const noFollowFlag = 1

export class IncomingLinks {
  readonly #notes: SiteNotes

  constructor(notes: SiteNotes) {
    this.#notes = notes
  }

  /** Of notes that can only be read. */
  static readOnly({ startingWith }: Pick<SiteNotes, 'startingWith'>): Pick<IncomingLinks, 'linksToSite'> {
    return new IncomingLinks({ startingWith, get: () => undefined, put: () => {} })
  }

  /** The site of the URL must be crawled here. Hearing the same again does no harm. */
  note(url: Url, mention: LinkMention): void {
    const target = shortHash(url.href)
    const name = `${linkStart}${target}${shortHash(`${mention.page}\n${mention.relation}\n${mention.text}`)}`
    const stored = this.#notes.get(url, name)
    const known = stored && readableOr(() => decoded(stored), undefined)
    if (known === undefined && (mention.isGone || !this.#count(url, target))) return
    this.#notes.put(url, name, encoded(joined(known, url, mention)))
  }

  *linksTo(url: Url): Generator<PageLink> {
    for (const link of this.#links(url.ringKey, `${linkStart}${shortHash(url.href)}`))
      if (link.to === url.href) yield link
  }

  *linksToSite(site: RingKey): Generator<PageLink> {
    yield* this.#links(site, linkStart)
  }

  *#links(site: RingKey, start: string): Generator<PageLink> {
    for (const [, bytes] of this.#notes.startingWith(site, start)) {
      const link = readableOr(() => decoded(bytes), undefined)
      if (link !== undefined) yield link
    }
  }

  /** False when there are as many as are kept. */
  #count(url: Url, target: string): boolean {
    const name = `${countStart}${target}`
    const stored = this.#notes.get(url, name)
    const count = stored === undefined ? 0 : readableOr(() => new MessageReader(stored).number(), 0)
    if (count >= pagesMax) return false
    this.#notes.put(url, name, new MessageWriter().number(count + 1).finish())
    return true
  }
}

function joined(known: PageLink | undefined, url: Url, mention: LinkMention): PageLink {
  const { page, relation, isNoFollow, text, atMs, isGone } = mention
  const firstSeenMs = Math.min(known?.firstSeenMs ?? atMs, atMs)
  const isOld = known !== undefined && atMs < Math.max(known.lastSeenMs, known.goneMs ?? 0)
  const link = { from: page, to: url.href, relation, isNoFollow, text, firstSeenMs }
  if (isOld) return { ...known, firstSeenMs }
  const lastSeenMs = isGone ? (known?.lastSeenMs ?? atMs) : atMs
  return { ...link, lastSeenMs, ...(isGone && { goneMs: atMs }) }
}

function encoded(link: PageLink): Uint8Array {
  const { from, to, relation, isNoFollow, text, firstSeenMs, lastSeenMs, goneMs } = link
  return new MessageWriter()
    .byte(version)
    .text(from)
    .text(to)
    .text(relation)
    .byte(isNoFollow ? noFollowFlag : 0)
    .text(text)
    .number(firstSeenMs)
    .number(lastSeenMs)
    .number(goneMs ?? 0)
    .finish()
}

function decoded(bytes: Uint8Array): PageLink {
  const reader = new MessageReader(bytes)
  reader.byte()
  const [from, to] = [reader.text(linkCharsMax), reader.text(linkCharsMax)]
  const relation = reader.text(relationBytesMax)
  const isNoFollow = (reader.byte() & noFollowFlag) !== 0
  const text = reader.text(mentionTextBytesMax)
  const [firstSeenMs, lastSeenMs, goneMs] = [reader.counter(), reader.counter(), reader.counter()]
  return { from, to, relation, isNoFollow, text, firstSeenMs, lastSeenMs, ...(goneMs > 0 && { goneMs }) }
}

function shortHash(text: string): string {
  return hash('sha1', text, 'base64url').slice(0, 11)
}
