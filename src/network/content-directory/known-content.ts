// Content known elsewhere: what is new here may have been kept by other peers long ago, and need not be kept twice.
//
// The ring key of a content is the start of its digest. Who owns it knows where it is kept, and which sites need it; the answer
// is asked for before a payload is kept, many in one message, and waited for only so long. A content is held by the peers of the
// site that it was first seen with for as long as any site needs it (Apoidea's content test with Webstore's counting).
//
// Promises: whoever is told of another capture can rely on it: enough peers said to us that they have the content, and hold it.
// No answer, a late one, or a wrong one costs the room of a duplicate.
// Leaves to others: keeping, reading, crawling.

import { unlessFails } from '../../errors.ts'
import type { Digest } from '../../model/digest.ts'
import { momentMs } from '../../platform/batcher.ts'
import type { CallHandler } from '../../platform/calls/calls.ts'
import type { Clock } from '../../platform/clock.ts'
import type { KeyValue } from '../../platform/storage/key-value.ts'
import { ContentHandler } from './content-handler.ts'
import { type ContentPlace, type FirstCapture, type Need, urlBytesMax } from './content-row.ts'
import { Directory } from './directory.ts'
import { Keepers, type Safety } from './keepers.ts'
import type { ContentCalls, ContentPlaces, OwnContents, OwnNeeds } from './needs.ts'
import { DigestOwners, type OwnerQuestion } from './owners.ts'
import { type AskedContent, contentQuestion, type HeldAt } from './questions.ts'
import { RegistrationQueue } from './registration-queue.ts'
import { RowCopies } from './row-copies.ts'
import { RowTransfer } from './row-transfer.ts'
import { ContentUpkeep, type UpkeepOptions } from './upkeep.ts'

interface KnownContentNeeds {
  /** A map of its own, closed by whoever opened it. */
  readonly keyValue: KeyValue
  readonly clock: Clock
  readonly places: ContentPlaces
  readonly calls: ContentCalls
  readonly own: OwnContents
  readonly needs: OwnNeeds
  /** Answers those who read contents here. */
  read: CallHandler
}

export interface KnownContentOptions extends UpkeepOptions {
  /** Smaller ones cost less than the questions. */
  readonly sizeBytesMin: number
  /** How long a page waits for an answer. */
  readonly waitMs: number
  readonly callMs: number
  /** Peers that must have a content before another copy is spared. */
  readonly copiesMin: number
}

const knownContentDefaults: KnownContentOptions = {
  sizeBytesMin: 4_096,
  waitMs: 500,
  callMs: 3_000,
  copiesMin: 2,
  endingMs: 30_000,
  renewMs: 6 * 3_600_000,
  graceMs: 24 * 3_600_000,
}

/** What is new here is told to others some at a time. */
const registerMs = 200

export interface KnownContentStatus {
  /** Payloads asked about, and how many of them were known elsewhere. */
  readonly asked: number
  readonly known: number
  /** Bytes that are not kept twice. */
  readonly sparedBytes: number
  /** Not answered in time. */
  readonly late: number
}

export class KnownContent {
  readonly #needs: KnownContentNeeds
  readonly #options: KnownContentOptions
  readonly #handler: ContentHandler
  readonly #keepers: Keepers
  readonly #copies: RowCopies
  readonly #moving: RowTransfer
  readonly #upkeep: ContentUpkeep
  readonly #registrationQueue: RegistrationQueue
  readonly #asking: DigestOwners<AskedContent>
  readonly #needing: DigestOwners<Need>
  readonly #whereabouts: DigestOwners<{ digest: Digest }>
  readonly #status = { asked: 0, known: 0, sparedBytes: 0, late: 0 }

  constructor(needs: KnownContentNeeds, options: Partial<KnownContentOptions> = {}) {
    this.#needs = needs
    this.#options = { ...knownContentDefaults, ...options }
    const { callMs } = this.#options
    const directory = new Directory(needs)
    const keepers = new Keepers(needs, this.#options)
    const copies = new RowCopies(needs)
    const parts = { ...needs, directory, keepers, copies }
    const handler = new ContentHandler(parts)
    const ownerNeeds = { ...needs, answerOwn: (question: OwnerQuestion) => handler.answerOwner(question) }
    const asked = <Kind extends OwnerQuestion['kind']>(kind: Kind, waitMs = momentMs) =>
      new DigestOwners<Extract<OwnerQuestion, { kind: Kind }>['items'][number]>(
        ownerNeeds,
        (items) => ({ kind, items }) as unknown as OwnerQuestion,
        { callMs, waitMs },
      )
    this.#handler = handler
    this.#keepers = keepers
    this.#copies = copies
    this.#asking = asked('ask')
    this.#needing = asked('need')
    this.#whereabouts = asked('where')
    this.#registrationQueue = new RegistrationQueue({ ...needs, owners: asked('register', registerMs) })
    this.#moving = new RowTransfer(parts)
    this.#upkeep = new ContentUpkeep({ ...parts, owners: this.#needing }, this.#options)
  }

  /** The answer of the service. */
  readonly answer: CallHandler = (from, bytes, context) => {
    const question = contentQuestion.decode(bytes)
    return question.kind === 'read'
      ? this.#needs.read(from, question.bytes, context)
      : this.#handler.answer(question)
  }

  /** The capture that other peers safely keep this payload with, for a page of that site; undefined when there is none, or nobody
   * says so in time. */
  async find(content: AskedContent): Promise<FirstCapture | undefined> {
    if (content.sizeBytes < this.#options.sizeBytesMin) return undefined
    this.#status.asked++
    const found = await this.#found(content)
    if (found === undefined) return undefined
    this.#status.known++
    this.#status.sparedBytes += content.sizeBytes
    return found
  }

  /** Whether a payload that a page of that site has elsewhere is still kept there, as far as can be told in time. */
  async isSafe(content: AskedContent): Promise<boolean> {
    return (await this.#found(content)) !== undefined
  }

  #found(content: AskedContent): Promise<FirstCapture | undefined> {
    const search = { isLate: false }
    return this.#inTime(search, this.#search(content, search))
  }

  /** What is found too late, or not held, is put on record as not needed: it is kept here then. */
  async #search(content: AskedContent, search: { isLate: boolean }): Promise<FirstCapture | undefined> {
    const { digest, site } = content
    const answer = await this.#asking.ask(content)
    if (answer.kind !== 'known') return undefined
    const { capture } = answer
    const isHeld = await this.#keepers.isHeld(this.#keepers.heldAt({ digest, capture }))
    if (isHeld && !search.isLate) return capture
    if (!this.#needs.needs.has({ digest, site })) await this.#needing.ask({ digest, site, isNeeded: false })
    return undefined
  }

  /** A content that is kept here for the first time. */
  register(place: ContentPlace): void {
    const isWorth = place.sizeBytes >= this.#options.sizeBytesMin
    if (isWorth && Buffer.byteLength(place.capture.url) <= urlBytesMax)
      void this.#registrationQueue.add(place)
  }

  /** The capture that a content is kept with, by the directory. Rejects with a PolyhistorError when it cannot be asked. */
  async whereIs(digest: Digest): Promise<FirstCapture | undefined> {
    const answer = await this.#whereabouts.ask({ digest })
    return answer.kind === 'known' ? answer.capture : undefined
  }

  /** Whether those who should keep these have them. */
  check(contents: readonly HeldAt[]): Promise<Safety[]> {
    return this.#keepers.check(contents)
  }

  status(): KnownContentStatus {
    return { ...this.#status }
  }

  async close(): Promise<void> {
    this.#registrationQueue.close()
    await Promise.all([this.#moving.close(), this.#upkeep.close(), this.#handler.close()])
    this.#copies.close()
  }

  async #inTime<T>(search: { isLate: boolean }, answer: Promise<T>): Promise<T | undefined> {
    const { clock } = this.#needs
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    const timer = clock.after(this.#options.waitMs, () => {
      search.isLate = true
      this.#status.late++
      resolve(undefined)
    })
    try {
      return await Promise.race([unlessFails(answer), late])
    } finally {
      timer.cancel()
    }
  }
}
