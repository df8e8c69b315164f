// The heads of all peers' logs: ours is told to all, theirs are kept, and each new one must go on from the one before it.
//
// A peer that takes back what it had entered, or shows different logs to different peers, would need two heads of which neither goes
// on from the other; it signed both, and they are kept as evidence and told to the owner. Heads travel by announcements, so that all
// peers come to hold the same one. A peer that does not answer is asked again: only what it says convicts it.

import { PolyhistorError } from '../../errors.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { KeyValue, Table } from '../../platform/storage/key-value.ts'
import type { CaptureLog, LogInclusion } from '../../proof/log/capture-log.ts'
import { decodeHead, encodeHead, headBytes, type LogHead } from '../../proof/log/log-head.ts'
import { areEqual, type Hash, isConsistent } from '../../proof/merkle-tree.ts'
import type { Announcement } from '../announcements/announcement.ts'
import type { Announcements } from '../announcements/announcements.ts'
import { logHeadKind } from './head-announcement.ts'
import { logAnswer, logQuestion } from './log-messages.ts'

interface Needs {
  readonly announcements: Pick<Announcements, 'put' | 'follow'>
  readonly calls: CallService
  /** A map of its own, closed by whoever opened it. */
  readonly keyValue: KeyValue
  readonly clock: Clock
  readonly log: Log
  readonly self: PeerId
  /** Ours; undefined when it could not be opened. */
  readonly captures: CaptureLog | undefined
}

const { kind } = logHeadKind
/** How often ours is told, and others are asked that did not answer. */
const everyMs = 60_000
const answerMs = 10_000
/** Peers whose heads are kept; of more, the rest is not checked. */
const peersMax = 4_096
const problemsMax = 20

export class LogHeads {
  readonly #needs: Needs
  /** By peer: the last head that goes on from all before it. */
  readonly #heads: Table
  /** By peer: two heads that contradict each other. */
  readonly #evidence: Table
  /** Heads that were told and not checked yet. */
  readonly #waiting = new Map<PeerId, LogHead>()
  readonly #unlisten: () => void
  readonly #task: PeriodicTask
  #told: number | undefined
  /** Peers whose heads are kept. */
  #kept: number

  constructor(needs: Needs) {
    this.#needs = needs
    this.#heads = needs.keyValue.table('heads')
    this.#evidence = needs.keyValue.table('evidence')
    this.#kept = [...this.#heads.range({ limit: peersMax })].length
    this.#task = new PeriodicTask(needs, everyMs, () => this.#run(), { firstMs: 1_000 })
    this.#unlisten = needs.announcements.follow(kind, (announcement) => this.#learn(announcement))
  }

  /** The last head of a peer that was checked. */
  headOf(peer: PeerId): LogHead | undefined {
    const bytes = this.#heads.get(Buffer.from(peer))
    return bytes && decodeHead(bytes)
  }

  /** What the owner should know, a sentence each. */
  problems(): string[] {
    return [...this.#evidence.range({ limit: problemsMax })].flatMap(([peer, bytes]) => {
      const evidence = evidenceIn(bytes)
      if (evidence === undefined) return []
      const [first, second] = evidence
      return `The peer ${Buffer.from(peer).toString()} has rewritten its history: it signed a log of ${first.size} captures, and one of ${second.size} that does not go on from it.`
    })
  }

  /** Two heads that a peer signed and that contradict each other. */
  evidenceAgainst(peer: PeerId): readonly [LogHead, LogHead] | undefined {
    const bytes = this.#evidence.get(Buffer.from(peer))
    return bytes && evidenceIn(bytes)
  }

  /** Where the log of that peer has a capture; undefined when it has not, or does not answer. Whoever asks checks the proof. */
  async inclusion(peer: PeerId, leaf: Hash, signedAtMs: number): Promise<LogInclusion | undefined> {
    try {
      const answer = await this.#ask(peer, { kind: 'inclusion', leaf, signedAtMs })
      if (answer.kind !== 'inclusion') return undefined
      const head = decodeHead(answer.head)
      const before = answer.before && decodeHead(answer.before.head)
      return head && { index: answer.index, path: answer.path, head, before }
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return undefined
    }
  }

  /** Now: for whoever cannot wait. */
  look(): void {
    this.#task.runIn(0)
  }

  async close(): Promise<void> {
    this.#unlisten()
    await this.#task.close()
  }

  #learn({ name, value }: Announcement): void {
    const head = decodeHead(value)
    if (name === this.#needs.self || head === undefined) return
    const isKept = this.#heads.get(Buffer.from(name)) !== undefined
    if (!isKept && this.#kept + this.#waiting.size >= peersMax) return
    this.#waiting.set(name, head)
    this.#task.runWithin(100)
  }

  async #run(): Promise<void> {
    await this.#tell()
    for (const [peer, head] of this.#waiting) {
      const isSettled = await this.#check(peer, head)
      if (isSettled && this.#waiting.get(peer) === head) this.#waiting.delete(peer)
    }
  }

  async #tell(): Promise<void> {
    const { captures, announcements, self, log } = this.#needs
    try {
      const head = await captures?.update()
      if (head === undefined || head.size === this.#told) return
      await announcements.put(kind, self, encodeHead(head))
      this.#told = head.size
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      log.warn({ err: error }, 'The others could not be told the head of the log')
    }
  }

  /** Whether it is known what to think of it. */
  async #check(peer: PeerId, head: LogHead): Promise<boolean> {
    const known = this.headOf(peer)
    if (known === undefined) return this.#keep(peer, head)
    if (head.size === known.size)
      return areEqual(head.root, known.root) ? true : this.#accuse(peer, known, head)
    // An older one may come late.
    if (head.size < known.size)
      return head.signedAtMs <= known.signedAtMs ? true : this.#accuse(peer, known, head)
    const proof = await this.#consistency(peer, known.size, head.size)
    if (proof === 'silent') return false
    const goesOn = proof !== undefined && isConsistent(known, head, proof)
    return goesOn ? this.#keep(peer, head) : this.#accuse(peer, known, head)
  }

  async #consistency(
    peer: PeerId,
    first: number,
    second: number,
  ): Promise<readonly Hash[] | undefined | 'silent'> {
    try {
      const answer = await this.#ask(peer, { kind: 'consistency', first, second })
      return answer.kind === 'consistency' ? answer.path : undefined
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return 'silent'
    }
  }

  async #ask(peer: PeerId, question: Parameters<typeof logQuestion.encode>[0]) {
    const { calls } = this.#needs
    const options = { deadlineMs: answerMs }
    return logAnswer.decode(await calls.call(peer, logQuestion.encode(question), options))
  }

  async #keep(peer: PeerId, head: LogHead): Promise<true> {
    if (this.#heads.get(Buffer.from(peer)) === undefined) this.#kept++
    await this.#put(this.#heads, peer, encodeHead(head))
    return true
  }

  async #accuse(peer: PeerId, known: LogHead, head: LogHead): Promise<true> {
    const { log } = this.#needs
    if (this.#evidence.get(Buffer.from(peer)) !== undefined) return true
    await this.#put(this.#evidence, peer, Buffer.concat([encodeHead(known), encodeHead(head)]))
    log.warn({ peer, had: known.size, has: head.size }, 'A peer has rewritten its history')
    return true
  }

  async #put(table: Table, peer: PeerId, value: Uint8Array): Promise<void> {
    const { keyValue } = this.#needs
    await keyValue.transaction(() => table.put(Buffer.from(peer), value))
    await keyValue.flush()
  }
}

/** undefined where the disk has damaged it. */
function evidenceIn(bytes: Uint8Array): readonly [LogHead, LogHead] | undefined {
  const [first, second] = [decodeHead(bytes.subarray(0, headBytes)), decodeHead(bytes.subarray(headBytes))]
  return first && second && [first, second]
}
