// Announcements: delivers signed announcements to every peer of a network, by gossip and periodic anti-entropy.
//
// A new one is sent to some peers, which pass it on: within a second or two nearly all have it. Peers that were away or missed
// get it by comparison: with each peer that appears, and with a random one now and then. So all peers that are connected,
// directly or through others, converge.
//
// Promises: what `put` resolved for is on disk here. Listeners get every announcement that takes effect, once it is on disk,
// whoever wrote it. Announcements from peers are checked first (screening.ts), those on disk at start (store-check.ts). One that
// makes a listener throw goes to the quarantine.
// Leaves to others what an announcement means, and to its kind who may write it.

import { PolyhistorError, unlessFails } from '../../errors.ts'
import type { CallHandler, CallOptions } from '../../platform/calls/calls.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId, Pieces } from '../../platform/network/network.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { Random } from '../../platform/random.ts'
import type { KeyValue } from '../../platform/storage/key-value.ts'
import { answerQuestion } from '../replication/comparison/answering.ts'
import { entriesById } from '../replication/comparison/difference.ts'
import { type Announcement, type AnnouncementSigner, idOf, sizeOf } from './announcement.ts'
import { type AnnouncementKind, AnnouncementKinds } from './announcement-kind.ts'
import { AnnouncementStore } from './announcement-store.ts'
import {
  type AnnouncementsQuestion,
  announcementsQuestion,
  type FetchedAnnouncements,
  fetchedAnnouncements,
  messageBytesTypical,
  messagesOf,
  refusedIds,
} from './questions.ts'
import { reconcile } from './reconciliation.ts'
import { Refusals } from './refusals.ts'
import { aheadMsMax, Screening } from './screening.ts'
import { checkStore, signed } from './store-check.ts'

interface AnnouncementsNeeds {
  /** A map of its own, closed by whoever opened it. */
  readonly keyValue: KeyValue
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly self: PeerId
  /** Signs for ourselves. */
  readonly signer: AnnouncementSigner
  /** All there are. */
  readonly kinds: readonly AnnouncementKind[]
  readonly calls: { call(peer: PeerId, bytes: Pieces, options: CallOptions): Promise<Uint8Array> }
  /** Everybody known to be on the ring now, without ourselves. */
  peers(): readonly PeerId[]
}

/** How far it has come. */
export interface SpreadOutcome {
  /** Who has it on disk for sure. */
  readonly heard: readonly PeerId[]
  /** Where these were not enough in time: who did not say so. */
  readonly unheard: readonly PeerId[]
}

/** How far an announcement must have come before it counts as made. */
interface Spread {
  readonly heardMin: number
  readonly withinMs: number
}

export interface AnnouncementsOptions {
  /** Gossip fan-out. With four, a few peers of a hundred get an announcement only by comparison. */
  readonly toldMax: number
  /** How often to compare with a random peer. */
  readonly compareMs: number
  readonly callMsMax: number
  /** Disk limit for all announcements, about. */
  readonly storeBytesMax: number
}

export const announcementsDefaults: AnnouncementsOptions = {
  toldMax: 6,
  compareMs: 30_000,
  callMsMax: 10_000,
  storeBytesMax: 64 * 1024 * 1024,
}

interface AnnouncementsStatus {
  /** In quarantine, for inspection. */
  readonly quarantined: number
  /** Brought by others since we were started, and not taken. */
  readonly refused: number
}

/** An announcement of our own that other peers would refuse. */
class AnnouncementRefused extends PolyhistorError {
  constructor(kind: string, reason: string) {
    super('notice-refused', `This cannot be announced to the other peers (${kind}): ${reason}.`)
  }
}

/** Delay before comparing with a new peer: more may appear with it. */
const appearedMs = 200
/** Until an announcement is sent again to peers that did not answer. */
const tellAgainMs = 1_000

type AnnouncementListener = (announcement: Announcement) => void

export class Announcements {
  readonly #needs: AnnouncementsNeeds
  readonly #options: AnnouncementsOptions
  readonly #store: AnnouncementStore
  readonly #refusals: Refusals
  readonly #screening: Screening
  readonly #listeners = new Set<AnnouncementListener>()
  readonly #pulls = new Map<PeerId, Promise<void>>()
  readonly #telling = new Set<Promise<unknown>>()
  /** Of what has come: a part may be on disk already and not told to listeners yet. */
  readonly #hearing = new Set<Promise<unknown>>()
  #known: ReadonlySet<PeerId> = new Set()
  /** Compared with since we were started, and on the ring ever since. */
  readonly #compared = new Set<PeerId>()
  #wasInformed = false
  #comparing: PeriodicTask | undefined
  #isClosed = false

  static async open(
    needs: AnnouncementsNeeds,
    options: Partial<AnnouncementsOptions> = {},
  ): Promise<Announcements> {
    const all = { ...announcementsDefaults, ...options }
    const { keyValue, clock, log, self, signer } = needs
    const store = await AnnouncementStore.open(
      keyValue,
      new AnnouncementKinds(needs.kinds),
      all.storeBytesMax,
    )
    const nowMs = clock.nowMs()
    const setAside = await checkStore({
      store,
      map: keyValue,
      signer,
      self,
      nowMs,
      versionMax: nowMs + aheadMsMax,
    })
    if (setAside > 0)
      log.warn({ setAside }, 'Stored announcements were invalid: they are in quarantine and have no effect')
    return new Announcements(needs, all, store)
  }

  private constructor(needs: AnnouncementsNeeds, options: AnnouncementsOptions, store: AnnouncementStore) {
    this.#needs = needs
    this.#options = options
    this.#store = store
    this.#refusals = new Refusals(needs)
    this.#screening = new Screening({ ...needs, store, refusals: this.#refusals })
  }

  /** Begins to compare. */
  start(): void {
    const { random } = this.#needs
    this.#comparing = new PeriodicTask(this.#needs, this.#options.compareMs, () => this.#compare(), {
      firstMs: appearedMs,
      jitter: { share: 0.5, random },
    })
  }

  /** Resolves when sends under way have ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    void this.#comparing?.close()
    await Promise.allSettled([...this.#telling, ...this.#pulls.values()])
  }

  /** Of several in different slots the latest. */
  get(kind: string, name: string): Announcement | undefined {
    return this.#store.get(kind, name)
  }

  /** One for each slot. */
  named(kind: string, name: string): Iterable<Announcement> {
    return this.#store.named(kind, name)
  }

  all(kind: string): Iterable<Announcement> {
    return this.#store.all(kind)
  }

  status(): AnnouncementsStatus {
    return { quarantined: this.#store.quarantine.count, refused: this.#refusals.count }
  }

  /** How many announcements of each peer were refused: those that it brought, and those that it wrote. */
  refusals(): Pick<Refusals, 'bySender' | 'byAuthor'> {
    return this.#refusals
  }

  /** Asked of each announcement that others bring, once its signature is right: why it is not taken now. Besides what its kind says of
   * it, which is the same for ever. */
  screenWith(refusal: (announcement: Announcement) => string | undefined): void {
    this.#screening.screenWith(refusal)
  }

  /** For statements that are part of an announcement. */
  sign(statement: Uint8Array): Uint8Array {
    return this.#needs.signer.sign(statement)
  }

  /** Resolves when it is safe here; others hear of it soon. Rejects with 'notice-refused' what others would refuse. */
  async put(kind: string, name: string, value: Uint8Array): Promise<void> {
    const announcement = await this.#write(kind, name, value)
    this.#tell([announcement])
    this.#heard([announcement])
  }

  /** The same for what must survive the loss of this disk: resolves when `heardMin` other peers have it, too, or all known peers
   * where these are fewer; after `withinMs` in any case, and then tells who is silent. */
  async putWithOthers(kind: string, name: string, value: Uint8Array, wanted: Spread): Promise<SpreadOutcome> {
    const { clock } = this.#needs
    const announcement = await this.#write(kind, name, value)
    this.#heard([announcement])
    const untilMs = clock.monotonicMs() + wanted.withinMs
    const having = new Set<PeerId>()
    const isSpread = () => having.size >= Math.min(wanted.heardMin, this.#needs.peers().length)
    while (!this.#isClosed && clock.monotonicMs() < untilMs) {
      await new Promise<void>((resolve) => {
        const tellings = this.#tell([announcement], having).map(async ({ peer, isTold }) => {
          if (await isTold) having.add(peer)
          if (isSpread()) resolve()
        })
        void Promise.all(tellings).then(() => resolve())
      })
      if (isSpread()) return { heard: [...having], unheard: [] }
      await clock.sleep(tellAgainMs)
    }
    return { heard: [...having], unheard: this.#needs.peers().filter((peer) => !having.has(peer)) }
  }

  async #write(kind: string, name: string, value: Uint8Array): Promise<Announcement> {
    const { clock, self, signer } = this.#needs
    const draft = { kind, name, value, peer: self, version: Math.floor(clock.nowMs()) }
    const fault = this.#store.kinds.fault(draft)
    if (fault !== undefined) throw new AnnouncementRefused(kind, fault)
    const announcement = await this.#store.write(() => {
      const before = this.#store.standing(draft)
      const version = Math.max((before?.version ?? 0) + 1, draft.version)
      return signed(this.#store, { ...draft, version }, signer)
    })
    if (typeof announcement === 'string') throw new AnnouncementRefused(kind, announcement)
    return announcement
  }

  /** Calls the listener for every announcement that takes effect from now on. Gives a function that ends this. */
  onChange(listener: AnnouncementListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Calls the listener for all of a kind that are in force, at once, and for all to come. Gives a function that ends this. */
  follow(kind: string, listener: AnnouncementListener): () => void {
    for (const announcement of [...this.#store.all(kind)]) this.#hand(announcement, listener)
    return this.onChange((announcement) => {
      if (announcement.kind === kind) listener(announcement)
    })
  }

  /** Quarantines an announcement that a part of this peer fails on. */
  setAside(announcement: Announcement, error: unknown): void {
    const { log, self } = this.#needs
    const { kind, name, peer: author } = announcement
    const reason = `a part of the peer failed by it: ${error instanceof Error ? error.message : String(error)}`
    log.error(
      { err: error, kind, name: name.slice(0, 200), author },
      'An announcement caused an error, and is in quarantine now',
    )
    this.#refusals.add({
      id: idOf(announcement),
      reason,
      sender: self,
      author,
      forMs: Number.POSITIVE_INFINITY,
    })
    this.#putAway(announcement, reason)
  }

  /** It counts no more, and never will: it goes to the quarantine, and what it had displaced can come again. */
  remove(announcement: Announcement, reason: string): void {
    this.#putAway(announcement, reason)
  }

  #putAway(announcement: Announcement, reason: string): void {
    const { clock, log } = this.#needs
    const standing = this.#store.standing(announcement)
    if (standing === undefined || Buffer.compare(idOf(standing), idOf(announcement)) !== 0) return
    const removing = this.#store
      .setAside(this.#store.kinds.keyOf(announcement), { reason, atMs: clock.nowMs(), isCharged: true })
      .catch((failure: unknown) => log.error({ err: failure }, 'An announcement could not be quarantined'))
      .finally(() => this.#telling.delete(removing))
    this.#telling.add(removing)
  }

  /** Compares with the peer; afterwards both have what either had, and listeners were told. Rejects with a PolyhistorError when it
   * does not answer. */
  pull(peer: PeerId): Promise<void> {
    let pull = this.#pulls.get(peer)
    if (pull === undefined) {
      pull = this.#compareWith(peer).finally(() => this.#pulls.delete(peer))
      this.#pulls.set(peer, pull)
    }
    return pull
  }

  /** Whether we have compared with every peer on the ring since the start; while the ring is empty, with any that was there. */
  get isSynced(): boolean {
    const peers = this.#needs.peers()
    return peers.length === 0 ? this.#wasInformed : peers.every((peer) => this.#compared.has(peer))
  }

  /** Whether another peer has told what it knows, since we were started. */
  get wasInformed(): boolean {
    return this.#wasInformed
  }

  /** Who is on the ring may have changed. */
  peersChanged(): void {
    const peers = new Set(this.#needs.peers())
    for (const peer of this.#compared) if (!peers.has(peer)) this.#compared.delete(peer)
    const hasNew = [...peers].some((peer) => !this.#known.has(peer))
    if (hasNew) this.#comparing?.runIn(appearedMs)
    else this.#known = peers
  }

  /** For the questions of other peers. */
  readonly answer: CallHandler = async (from, bytes) => {
    const question = announcementsQuestion.decode(bytes)
    if (question.kind === 'compare') return answerQuestion(this.#store.sums, question.bytes)
    if (question.kind === 'fetch') return fetchedAnnouncements.encode(this.#fetch(question))
    return refusedIds.encode(await this.#hear(question.announcements, from))
  }

  #fetch({ range, ids }: Extract<AnnouncementsQuestion, { kind: 'fetch' }>): FetchedAnnouncements {
    const entries = ids.length > 0 ? entriesById(this.#store, range, ids) : this.#store.sums.entries(range)
    const announcements: Announcement[] = []
    let bytes = 0
    for (const entry of entries) {
      for (const announcement of this.#store.announcementsOf([entry])) {
        bytes += sizeOf(announcement)
        if (announcements.length > 0 && bytes > messageBytesTypical) return { announcements, next: entry.key }
        announcements.push(announcement)
      }
    }
    return { announcements, next: undefined }
  }

  /** Gives the ids of those that are refused, and would be again. */
  #hear(announcements: readonly Announcement[], from: PeerId): Promise<Uint8Array[]> {
    const hearing = this.#accept(announcements, from).finally(() => this.#hearing.delete(hearing))
    this.#hearing.add(hearing)
    return hearing
  }

  async #accept(announcements: readonly Announcement[], from: PeerId): Promise<Uint8Array[]> {
    const refused: Uint8Array[] = []
    for await (const news of this.#screening.take(announcements, from, refused)) {
      this.#tell(news, new Set([from]))
      this.#heard(news)
    }
    return refused
  }

  #heard(announcements: readonly Announcement[]): void {
    for (const announcement of announcements)
      for (const listener of [...this.#listeners]) this.#hand(announcement, listener)
  }

  /** Errors of listeners end here: an announcement of another peer must not end the process. */
  #hand(announcement: Announcement, listener: AnnouncementListener): void {
    try {
      listener(announcement)
    } catch (error) {
      this.setAside(announcement, error)
    }
  }

  /** Sends to some peers, none of `except`. Peers that do not answer get it by comparison. */
  #tell(
    announcements: readonly Announcement[],
    except: ReadonlySet<PeerId> = new Set(),
  ): { readonly peer: PeerId; readonly isTold: Promise<boolean> }[] {
    if (this.#isClosed) return []
    const peers = this.#some(
      this.#needs.peers().filter((peer) => !except.has(peer)),
      this.#options.toldMax,
    )
    return peers.flatMap((peer) =>
      [...messagesOf(announcements)].map((message) => {
        const isTold = this.#tellOne(peer, message).finally(() => this.#telling.delete(isTold))
        this.#telling.add(isTold)
        return { peer, isTold }
      }),
    )
  }

  /** Whether it has them now. */
  async #tellOne(peer: PeerId, announcements: readonly Announcement[]): Promise<boolean> {
    try {
      const refused = refusedIds.decode(await this.#ask(peer, { kind: 'tell', announcements }))
      for (const id of refused) this.#refusals.noteDeclined(peer, id)
      return refused.length === 0
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return false
    }
  }

  async #compare(): Promise<void> {
    const peers = this.#needs.peers()
    const appeared = peers.filter((peer) => !this.#known.has(peer))
    this.#known = new Set(peers)
    // New peers may come from the other side of a partition.
    const chosen = this.#some(appeared.length > 0 ? appeared : peers, appeared.length > 0 ? 3 : 1)
    for (const peer of chosen) await unlessFails(this.pull(peer))
  }

  async #compareWith(peer: PeerId): Promise<void> {
    await reconcile({
      store: this.#store,
      random: this.#needs.random,
      ask: (question) => this.#ask(peer, question),
      accept: async (announcements) => void (await this.#hear(announcements, peer)),
      isRefused: (id) => this.#refusals.isRefused(id),
      isDeclined: (id) => this.#refusals.isDeclined(peer, id),
      onDeclined: (id) => this.#refusals.noteDeclined(peer, id),
    })
    // What others have just brought is no difference any more: without this, a job that all know could pass for one that nobody does.
    await Promise.allSettled(this.#hearing)
    this.#wasInformed = true
    if (this.#needs.peers().includes(peer)) this.#compared.add(peer)
  }

  #ask(peer: PeerId, question: AnnouncementsQuestion): Promise<Uint8Array> {
    return this.#needs.calls.call(peer, announcementsQuestion.encode(question), {
      deadlineMs: this.#options.callMsMax,
    })
  }

  /** So many of them, by chance. */
  #some(peers: readonly PeerId[], countMax: number): PeerId[] {
    const left = [...peers]
    const chosen: PeerId[] = []
    while (chosen.length < countMax && left.length > 0)
      chosen.push(...left.splice(this.#needs.random.below(left.length), 1))
    return chosen
  }
}
