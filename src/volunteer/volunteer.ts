// A volunteer: asks peers for bundles, fetches them, and gives back what came. It keeps nothing, and nobody can ask it for anything.
//
// Invariants: at most `bundlesMax` bundles at once and `leadersMax` peers that are asked; while its owner's limits or hours are reached it
// asks for nothing. It stops asking hosts before a fence ends, also when the peer does not answer any more.

import type { AddressGuard } from '../crawl/address/address-guard.ts'
import { Fetcher } from '../crawl/fetch/fetcher.ts'
import { PolyhistorError } from '../errors.ts'
import { isLaterVersion, type Release, readRelease } from '../network/releases/release.ts'
import { type GivenAnswer, packAnswers } from '../network/volunteers/given-answers.ts'
import { sealed } from '../network/volunteers/sealed-answers.ts'
import {
  bundlesMax as bundlesOfAnswerMax,
  type ToldAnswer,
  type VolunteerAnswer,
  type VolunteerQuestion,
  volunteerAnswer,
  volunteerQuestion,
  type WireBundle,
} from '../network/volunteers/volunteer-messages.ts'
import type { CallService } from '../platform/calls/call-services.ts'
import type { Clock } from '../platform/clock.ts'
import type { PeerId } from '../platform/network/network.ts'
import type { Web } from '../platform/network/web.ts'
import type { Random } from '../platform/random.ts'
import type { SigningKey } from '../proof/ed25519.ts'
import { BundleRun } from './bundle-run.ts'
import { Fence } from './fence.ts'
import type { PauseReason } from './owner-limits.ts'
import { type Given, VolunteerFigures } from './volunteer-figures.ts'

export interface VolunteerNeeds {
  readonly clock: Clock
  readonly random: Random
  readonly calls: CallService
  readonly web: Web
  readonly guard: AddressGuard
  readonly key: SigningKey
  readonly program: string
  readonly insecure?: boolean | undefined
  learn(peer: PeerId, addresses: readonly string[]): void
  /** Waits until the owner's limits leave something. */
  ready(signal: AbortSignal): Promise<void>
  /** Answers are given in parts of about this size. */
  partBytes(): number
  /** So many bytes are about to be sent. */
  sending(bytes: number, signal: AbortSignal): Promise<void>
  /** Why nothing is to be asked for now; undefined when something is. */
  pauseReason(): PauseReason | undefined
  /** Whether the network's key has signed it; where it is not given, nothing is believed. */
  isOfNetwork?(release: Release): boolean
  /** Another version of the program is out, later than ours. */
  released?(release: Release): void
  /** A word to the owner. */
  tell(sentence: string): void
}

export interface VolunteerOptions {
  /** Bundles at once: more use more of the line, and more memory. */
  readonly bundlesMax: number
}

const askPatienceMs = 20_000
const callSlackMs = 10_000
const callMs = 15_000
const giveMs = 60_000
const giveTries = 3
const holdMs = 2_000
const leadersMax = 8
const tellEveryMs = 60_000
const failedMsFirst = 1_000
const failedMsMax = 60_000
const pauseLookMs = 1_000
/** While it has as much as it can do. */
const fullLookMs = 200

interface Leader {
  readonly peer: PeerId
  /** Bundles of it that are being fetched. */
  readonly held: Map<string, { readonly id: Uint8Array; readonly fence: Fence }>
  readonly stop: AbortController
  /** Its time is ahead of ours by so much. */
  offsetMs: number
  failures: number
  /** It reads what is signed once for all: peers that answer questions about releases do. */
  takesSeals: boolean
  told: ToldAnswer | undefined
  toldAtMs: number
}

export class Volunteer {
  readonly figures: VolunteerFigures
  readonly #needs: VolunteerNeeds
  readonly #options: VolunteerOptions
  readonly #leaders = new Map<PeerId, Leader>()
  readonly #loops = new Set<Promise<void>>()
  readonly #hosts = new Map<string, Promise<unknown>>()
  readonly #stop = new AbortController()
  #running = 0
  #release: Release | undefined

  constructor(needs: VolunteerNeeds, options: VolunteerOptions) {
    this.#needs = needs
    this.#options = options
    this.figures = new VolunteerFigures(needs)
  }

  /** A peer that gives out work, whether it does or not. */
  meet(peer: PeerId): void {
    if (this.#leaders.has(peer) || this.#leaders.size >= leadersMax || this.#stop.signal.aborted) return
    const leader: Leader = {
      ...{ peer, held: new Map(), stop: new AbortController() },
      ...{ offsetMs: 0, failures: 0, takesSeals: false, told: undefined, toldAtMs: Number.NEGATIVE_INFINITY },
    }
    this.#leaders.set(peer, leader)
    this.#keep(this.#serve(leader))
    this.#keep(this.#hold(leader))
  }

  get leaders(): number {
    return this.#leaders.size
  }

  /** What peers say of us. */
  told(): readonly ToldAnswer[] {
    return [...this.#leaders.values()].flatMap(({ told }) => told ?? [])
  }

  /** The version that the network runs, where it is later than ours. */
  get release(): Release | undefined {
    return this.#release
  }

  /** Bundles that are being fetched. */
  get running(): number {
    return this.#running
  }

  /** Ends what is under way, gives back what has come, and resolves then. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('The volunteer stops'))
    for (const leader of this.#leaders.values()) for (const { fence } of leader.held.values()) fence.close()
    await Promise.allSettled(this.#loops)
  }

  #keep(loop: Promise<void>): void {
    const kept = loop
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted && !(error instanceof PolyhistorError)) throw error
      })
      .finally(() => this.#loops.delete(kept))
    this.#loops.add(kept)
  }

  async #serve(leader: Leader): Promise<void> {
    const { clock, random } = this.#needs
    const { signal } = this.#stop
    while (!signal.aborted) {
      const pause = this.#needs.pauseReason()
      this.figures.pause = pause
      if (pause !== undefined) {
        await clock.sleep(pauseLookMs, signal)
        continue
      }
      await this.#needs.ready(signal)
      const free = this.#options.bundlesMax - this.#running
      if (free <= 0) {
        await clock.sleep(fullLookMs, signal)
        continue
      }
      const share = Math.max(1, Math.min(bundlesOfAnswerMax, Math.floor(free / this.#leaders.size)))
      const waitMs = await this.#askOnce(leader, share)
      if (waitMs > 0) await clock.sleep(waitMs / 2 + random.below(Math.ceil(waitMs / 2) + 1), signal)
    }
  }

  /** Gives how long to wait before the next question. */
  async #askOnce(leader: Leader, free: number): Promise<number> {
    const { clock, program } = this.#needs
    try {
      if (clock.monotonicMs() - leader.toldAtMs > tellEveryMs) await this.#askFigures(leader)
      const sentAtMs = clock.monotonicMs()
      const question = { kind: 'ask', free, patienceMs: askPatienceMs, program } as const
      const answer = await this.#call(leader.peer, question, askPatienceMs + callSlackMs)
      leader.failures = 0
      if (answer.kind === 'none') return answer.retryMs
      if (answer.kind === 'refused') return this.#refused(leader, answer)
      if (answer.kind !== 'work') return failedMsMax
      leader.offsetMs = answer.nowMs - clock.nowMs()
      for (const bundle of answer.bundles)
        this.#begin(leader, bundle, answer.userAgent, sentAtMs + answer.heldMs)
      return 0
    } catch (error) {
      if (!(error instanceof PolyhistorError) || this.#stop.signal.aborted) throw error
      leader.failures++
      return Math.min(failedMsMax, failedMsFirst * 2 ** Math.min(10, leader.failures))
    }
  }

  #refused({ peer }: Leader, { code, reason }: Extract<VolunteerAnswer, { kind: 'refused' }>): number {
    if (code === 'barred')
      this.#needs.tell(`Peer ${peer} takes nothing from this volunteer any more: ${reason}`)
    return failedMsMax
  }

  async #askFigures(leader: Leader): Promise<void> {
    const answer = await this.#call(leader.peer, { kind: 'tell' }, callMs)
    leader.toldAtMs = this.#needs.clock.monotonicMs()
    if (answer.kind !== 'told') return
    leader.told = answer
    for (const { peer, addresses } of answer.leaders) {
      if (peer === leader.peer) continue
      this.#needs.learn(peer, addresses)
      this.meet(peer)
    }
    await this.#askRelease(leader)
  }

  /** Peers of earlier versions do not know the question: what they answer is no release. */
  async #askRelease(leader: Leader): Promise<void> {
    const answer = await this.#call(leader.peer, { kind: 'release' }, callMs).catch((error: unknown) => {
      if (!(error instanceof PolyhistorError) || this.#stop.signal.aborted) throw error
      return undefined
    })
    if (answer?.kind !== 'released') return
    leader.takesSeals = true
    if (answer.release === undefined) return
    const release = readRelease(answer.release)
    if (release === undefined || !isLaterVersion(release.version, this.#release?.version ?? this.#ownVersion))
      return
    if (!this.#needs.isOfNetwork?.(release)) return
    this.#release = release
    this.#needs.released?.(release)
  }

  get #ownVersion(): string {
    return this.#needs.program.replace(/^.*\//, '')
  }

  #begin(leader: Leader, bundle: WireBundle, userAgent: string, fencedSinceMs: number): void {
    const { clock } = this.#needs
    const name = Buffer.from(bundle.id).toString('hex')
    const fence = new Fence({ clock }, fencedSinceMs, bundle.fenceMs)
    leader.held.set(name, { id: bundle.id, fence })
    this.#running++
    const run = this.#run(leader, bundle, userAgent, fence).finally(() => {
      fence.close()
      leader.held.delete(name)
      this.#running--
    })
    this.#keep(run)
  }

  async #run(leader: Leader, bundle: WireBundle, userAgent: string, fence: Fence): Promise<void> {
    const { clock, web, guard, key, insecure = false, ready, partBytes } = this.#needs
    const nowMs = () => Math.round(clock.nowMs() + leader.offsetMs)
    const theirs: Clock = {
      nowMs,
      monotonicMs: () => clock.monotonicMs(),
      after: (ms, task) => clock.after(ms, task),
      sleep: (ms, signal) => clock.sleep(ms, signal),
    }
    const entry = this.figures.begin(leader.peer, bundle.urls.length)
    try {
      const fetcher = new Fetcher({ web, clock: theirs }, { userAgent, allow: guard, insecure })
      const run = new BundleRun(
        {
          ...{ clock, fetcher, guard, key, nowMs },
          ready: (signal) => ready(signal),
          partBytes,
          fetching: (href) => entry.fetching(href),
          give: async (answers, isLast) => entry.gave(await this.#give(leader, bundle.id, answers, isLast)),
          inTurn: (authority, work) => this.#inTurn(authority, work),
        },
        bundle,
        userAgent,
        fence.signal,
      )
      await run.run()
    } finally {
      entry.end()
    }
  }

  /** Keeps the fences of its bundles up. */
  async #hold(leader: Leader): Promise<void> {
    const { clock } = this.#needs
    while (!this.#stop.signal.aborted) {
      await clock.sleep(holdMs, this.#stop.signal)
      const held = [...leader.held.values()]
      if (held.length === 0) continue
      const sentAtMs = clock.monotonicMs()
      try {
        const answer = await this.#call(leader.peer, { kind: 'hold', ids: held.map(({ id }) => id) }, holdMs)
        if (answer.kind === 'refused') for (const { fence } of held) fence.close()
        if (answer.kind !== 'held') continue
        for (const [index, { fence }] of held.entries()) {
          const fenceMs = answer.fenceMs[index] ?? 0
          if (fenceMs > 0) fence.extend(sentAtMs, fenceMs)
          else fence.close()
        }
      } catch (error) {
        // If this goes on, the fences end.
        if (!(error instanceof PolyhistorError)) throw error
      }
    }
  }

  /** In as many messages as it takes. What is too large for one is given as that. */
  async #give(
    leader: Leader,
    id: Uint8Array,
    answers: readonly GivenAnswer[],
    isLast: boolean,
  ): Promise<Given> {
    // What is too large for one message is not all there in any, and has no seal.
    const whole = leader.takesSeals ? sealed(answers) : undefined
    const packed = (whole && packAnswers(whole)) ?? packAnswers(answers)
    if (packed === undefined && answers.length > 1) {
      const middle = answers.length >> 1
      const first = await this.#give(leader, id, answers.slice(0, middle), false)
      const second = await this.#give(leader, id, answers.slice(middle), isLast)
      return { pages: first.pages + second.pages, bytes: first.bytes + second.bytes }
    }
    const given = packed ?? packAnswers([{ kind: 'untried', index: answers[0]!.index, why: 'too-large' }])!
    await this.#needs.sending(given.length, neverAborted)
    for (let tries = 1; ; tries++) {
      try {
        const answer = await this.#call(
          leader.peer,
          { kind: 'give', id, isLast, packed: given },
          giveMs,
          'bulk',
        )
        if (answer.kind !== 'taken') return { pages: 0, bytes: 0 }
        return { pages: answers.filter(({ kind }) => kind === 'response').length, bytes: given.length }
      } catch (error) {
        if (!(error instanceof PolyhistorError) || tries >= giveTries) throw error
        await this.#needs.clock.sleep(failedMsFirst)
      }
    }
  }

  async #call(
    peer: PeerId,
    question: VolunteerQuestion,
    deadlineMs: number,
    channel: 'control' | 'bulk' = 'control',
  ): Promise<VolunteerAnswer> {
    // What was fetched is given back, also by one who stops.
    const signal = question.kind === 'give' ? undefined : this.#stop.signal
    const bytes = volunteerQuestion.encode(question)
    return volunteerAnswer.decode(await this.#needs.calls.call(peer, bytes, { deadlineMs, channel, signal }))
  }

  async #inTurn<T>(authority: string, work: () => Promise<T>): Promise<T> {
    const before = this.#hosts.get(authority) ?? Promise.resolve()
    const turn = before.then(work, work)
    const settled = turn.catch(() => {})
    this.#hosts.set(authority, settled)
    try {
      return await turn
    } finally {
      if (this.#hosts.get(authority) === settled) this.#hosts.delete(authority)
    }
  }
}

const neverAborted = new AbortController().signal
