// Takedowns of a network: requested on one peer, carried out on all.
//
// Invariant: what those have taken down who may, and have not released, is taken down here as soon as the announcement arrives, after
// a restart and after a change of roles, too: when it counts no more, what it hid is shown again. A network may demand several signatures,
// or a while in which administrators can object (src/network/roles/): until then it waits. Where the network has a threshold of several
// administrators, what is hidden is destroyed only when so many of them have taken it down; the owner of a disk decides about that. Takedowns from before the home joined the
// network are announced, where its role allows that; else they hold for this peer alone.

import { PolyhistorError } from '../../errors.ts'
import type { Clock, Timer } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Takedown, TakedownTarget } from '../../store/takedowns/takedowns.ts'
import type { Announcement } from '../announcements/announcement.ts'
import type { Announcements } from '../announcements/announcements.ts'
import { everyMember, type RoleAuthority, siteOfTakedown } from '../roles/role-authority.ts'
import type { HeardTimes } from './heard-times.ts'
import {
  readTakedown,
  type TakedownStatement,
  takedownKind,
  takedownName,
  writeTakedown,
} from './takedown-announcement.ts'

interface Needs {
  readonly announcements: Announcements
  readonly store: {
    takedown(
      target: TakedownTarget,
      reason: string,
      options?: { by?: PeerId; isNow?: boolean; isHeld?: boolean },
    ): Promise<number>
    /** Not hidden any more. Without it nothing is ever released here. */
    release?(target: TakedownTarget): Promise<unknown>
    takedowns(): Iterable<Takedown>
  }
  readonly places?: {
    /** Who is there. */
    peers(): readonly PeerId[]
    /** With those who are away. */
    members(): readonly PeerId[]
  }
  readonly log: Log
  /** Where members have no roles: every member may take down everything. */
  readonly authority?: RoleAuthority | undefined
  readonly self?: PeerId | undefined
  /** Has announcements of lower roles count no more. */
  overrule?(announcements: readonly Announcement[], reason: string): Promise<unknown>
  /** With these a takedown can be made to wait. */
  readonly waiting?: { readonly clock: Clock; readonly heard: HeardTimes } | undefined
}

export interface TakedownOutcome {
  /** How many captures it hides here. */
  readonly captures: number
  /** Who may show them still: peers that did not confirm it in time, and those that are away. They hide them once they hear. */
  readonly unheard: readonly PeerId[]
  /** Nothing is hidden yet: more have to sign it, or it waits for objections. */
  readonly waitsFor?: TakedownWait | undefined
}

export interface TakedownWait {
  /** How many others have to take the same down. */
  readonly signatures: number
  /** ISO, where it comes into force by itself. */
  readonly until?: string | undefined
}

/** A takedown that was said, as people read it. */
export interface ToldTakedown {
  readonly target: TakedownTarget
  readonly reason: string
  readonly author: PeerId
  readonly atMs: number
  readonly state: 'taken' | 'released'
  readonly counts: boolean
  /** With those of others: what it names is hidden. */
  readonly isInForce: boolean
}

class ReasonMissing extends PolyhistorError {
  constructor() {
    super('takedown-reason-missing', 'On a network a takedown needs a reason: say it with --reason.')
  }
}

interface Word {
  readonly announcement: Announcement
  readonly statement: TakedownStatement
}

const { kind } = takedownKind
/** So many others have a takedown before it counts as said: with the copies of a capture, as many disks may die at once. */
export const takedownSpread = { heardMin: 2, withinMs: 20_000 }
/** Timers are not set for longer than this. */
const timerMsMax = 24 * 3_600_000

export class NetworkTakedowns {
  readonly #needs: Needs
  readonly #authority: RoleAuthority
  readonly #stops: (() => void)[]
  /** Names of those that are carried out here. */
  readonly #done = new Set<string>()
  /** Of these the ones that this peer's owner wants on this peer, whatever the network says. */
  readonly #ownOnly = new Set<string>()
  /** Names of those that are hidden here and not to be destroyed. */
  readonly #held = new Set<string>()
  /** Names, and when they come into force. */
  readonly #due = new Map<string, number>()
  #timer: Timer | undefined
  #isOpen = false
  #last: Promise<void> = Promise.resolve()

  constructor(needs: Needs) {
    this.#needs = needs
    this.#authority = needs.authority ?? everyMember
    this.#stops = [
      needs.announcements.follow(kind, (announcement) => {
        needs.waiting?.heard.note(announcement)
        if (this.#isOpen) this.#carryOut(announcement)
      }),
      this.#authority.onChange(() => {
        if (this.#isOpen) this.#carryOutAll()
      }),
    ]
  }

  async open(): Promise<void> {
    const { store, announcements } = this.#needs
    const own = [...store.takedowns()]
    for (const { target, isHeld } of own) {
      this.#done.add(takedownName(target))
      if (isHeld) this.#held.add(takedownName(target))
    }
    for (const { target, reason, by } of own) {
      if (announcements.get(kind, takedownName(target)) !== undefined) continue
      const right = this.#rightTo(target)
      if (right === 'none') {
        if (by === undefined) this.#ownOnly.add(takedownName(target))
      } else await this.#say({ target, reason, state: 'taken', ...right })
    }
    this.#isOpen = true
    this.#carryOutAll()
  }

  /** Resolves when it is done here and others have heard of it, if any are there; does not wait for ever for those who are silent.
   * Rejects with 'role-lacking' where this peer may not. */
  async takedown(target: TakedownTarget, reason: string): Promise<TakedownOutcome> {
    const by = this.#authority.rightTo('take down', siteOfTakedown(target))
    if (by !== undefined && reason.trim() === '') throw new ReasonMissing()
    const name = takedownName(target)
    const { takedownSignatures, takedownDelayMs, threshold } = this.#authority.settings
    const isAtOnce = takedownSignatures <= 1 && takedownDelayMs === 0
    const isHeld = threshold > 1
    const captures = isAtOnce ? await this.#needs.store.takedown(target, reason, isHeld ? { isHeld } : {}) : 0
    if (isAtOnce) this.#done.add(name)
    if (isAtOnce && isHeld) this.#held.add(name)
    const statement: TakedownStatement = { target, reason, state: 'taken', ...(by !== undefined && { by }) }
    const { heard, unheard } = await this.#needs.announcements.putWithOthers(
      kind,
      name,
      writeTakedown(statement),
      takedownSpread,
    )
    const away = this.#away().filter((peer) => !heard.includes(peer))
    const outcome = { captures, unheard: [...new Set([...unheard, ...away])] }
    if (isAtOnce) return outcome
    await this.#last
    return this.#done.has(name)
      ? { ...outcome, captures: this.#capturesOf(name) }
      : { ...outcome, waitsFor: this.#waitOf(name) }
  }

  /** On this peer alone, with no way back: its owner decides what lies on its disk. The others hide it, where our role allows that. */
  async destroy(target: TakedownTarget, reason: string): Promise<TakedownOutcome> {
    const isOurs = this.#rightTo(target) === 'none'
    const outcome = isOurs ? { captures: 0, unheard: [] } : await this.takedown(target, reason)
    this.#ownOnly.add(takedownName(target))
    this.#done.add(takedownName(target))
    const captures = await this.#needs.store.takedown(target, reason, { isNow: true })
    return { ...outcome, captures: Math.max(captures, outcome.captures) }
  }

  #away(): PeerId[] {
    const { places } = this.#needs
    const present = new Set(places?.peers())
    return places?.members().filter((peer) => !present.has(peer)) ?? []
  }

  /** Releases our own takedown; where others have taken it down, too, it stays hidden, unless we may overrule them. */
  async release(target: TakedownTarget, reason: string): Promise<void> {
    const name = takedownName(target)
    if (this.#ownOnly.delete(name) && this.#words(name).length === 0) {
      await this.#needs.store.release?.(target)
      this.#done.delete(name)
      return
    }
    const { self, overrule } = this.#needs
    const by = this.#authority.rightTo('release', siteOfTakedown(target))
    await this.#say({ target, reason, state: 'released', ...(by !== undefined && { by }) })
    const others = this.wordsOf(target)
    if (others.length > 0 && self !== undefined && by !== undefined && this.#authority.isNow(self, 'admin'))
      await overrule?.(others, reason)
    await this.#last
  }

  /** Who has taken it down, in a way that counts. */
  wordsOf(target: TakedownTarget): Announcement[] {
    return this.#words(takedownName(target))
      .filter((word) => word.statement.state === 'taken' && this.#counts(word))
      .map(({ announcement }) => announcement)
  }

  /** All that was said, the latest first. */
  told(): ToldTakedown[] {
    const told = Array.from(this.#needs.announcements.all(kind), (announcement): ToldTakedown => {
      const statement = readTakedown(announcement.value) as TakedownStatement
      const { target, reason, state, onBehalfOf } = statement
      return {
        ...{ target, reason, state, author: onBehalfOf ?? announcement.peer, atMs: announcement.version },
        counts: this.#counts({ announcement, statement }),
        isInForce: this.#done.has(announcement.name),
      }
    })
    return told.sort((one, other) => other.atMs - one.atMs)
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop()
    this.#timer?.cancel()
    await this.#last
  }

  async #say(statement: TakedownStatement): Promise<void> {
    await this.#needs.announcements.put(kind, takedownName(statement.target), writeTakedown(statement))
  }

  #rightTo(target: TakedownTarget): { readonly by?: string } | 'none' {
    try {
      const by = this.#authority.rightTo('take down', siteOfTakedown(target))
      return by === undefined ? {} : { by }
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return 'none'
    }
  }

  #words(name: string): Word[] {
    return [...this.#needs.announcements.named(kind, name)].map((announcement) => ({
      announcement,
      statement: readTakedown(announcement.value) as TakedownStatement,
    }))
  }

  #counts({ announcement, statement }: Word): boolean {
    return this.#authority.counts(announcement, statement.by, siteOfTakedown(statement.target))
  }

  /** Those in force by the announcements of all authors, the earliest first. */
  #takenBy(name: string): Word[] {
    const words = this.#words(name).filter((word) => this.#counts(word))
    const ownWords = new Set(
      words
        .filter(({ statement }) => statement.onBehalfOf === undefined)
        .map(({ announcement }) => announcement.peer),
    )
    return words
      .filter(({ statement: { state, onBehalfOf } }) => {
        return state === 'taken' && (onBehalfOf === undefined || !ownWords.has(onBehalfOf))
      })
      .sort((one, other) => this.#beginMs(one) - this.#beginMs(other))
  }

  /** Since when it counts here: not since a time before we could have heard of it, whatever its author says. */
  #beginMs({ announcement }: Word): number {
    return this.#needs.waiting?.heard.beginMs(announcement) ?? announcement.version
  }

  /** When it comes into force; undefined when it does not, unless more is said. */
  #forceMs(name: string): number | undefined {
    const { takedownSignatures, takedownDelayMs } = this.#authority.settings
    const word = this.#takenBy(name)[takedownSignatures - 1]
    return word && this.#beginMs(word) + takedownDelayMs
  }

  #waitOf(name: string): TakedownWait {
    const { takedownSignatures } = this.#authority.settings
    const forceMs = this.#forceMs(name)
    const signatures = Math.max(0, takedownSignatures - this.#takenBy(name).length)
    return { signatures, ...(forceMs !== undefined && { until: new Date(forceMs).toISOString() }) }
  }

  #isTaken(name: string): boolean {
    const forceMs = this.#forceMs(name)
    const { waiting } = this.#needs
    if (forceMs === undefined || waiting === undefined || this.#authority.settings.takedownDelayMs === 0)
      return forceMs !== undefined
    if (forceMs <= waiting.clock.nowMs()) return true
    this.#due.set(name, forceMs)
    this.#setTimer()
    return false
  }

  #setTimer(): void {
    const { waiting } = this.#needs
    if (waiting === undefined || this.#due.size === 0) return
    const nextMs = Math.min(...this.#due.values())
    this.#timer?.cancel()
    const waitMs = Math.min(timerMsMax, Math.max(0, nextMs - waiting.clock.nowMs()))
    this.#timer = waiting.clock.after(waitMs, () => {
      const nowMs = waiting.clock.nowMs()
      const due = [...this.#due].filter(([, atMs]) => atMs <= nowMs).map(([name]) => name)
      for (const name of due) this.#due.delete(name)
      for (const name of due)
        for (const { announcement } of this.#words(name).slice(0, 1)) this.#carryOut(announcement)
      this.#setTimer()
    })
  }

  #capturesOf(name: string): number {
    for (const { target, captures } of this.#needs.store.takedowns())
      if (takedownName(target) === name) return captures
    return 0
  }

  #carryOutAll(): void {
    const seen = new Set<string>()
    for (const announcement of this.#needs.announcements.all(kind)) {
      if (seen.has(announcement.name)) continue
      seen.add(announcement.name)
      this.#carryOut(announcement)
    }
  }

  /** One after the other: each goes through the captures that it hides. */
  #carryOut(announcement: Announcement): void {
    const { announcements, log } = this.#needs
    this.#last = this.#last.then(async () => {
      try {
        await this.#settle(announcement.name)
      } catch (error) {
        if (!(error instanceof PolyhistorError)) return announcements.setAside(announcement, error)
        log.error(
          { err: error, takedown: announcement.name },
          'A takedown of the network could not be carried out',
        )
      }
    })
  }

  async #settle(name: string): Promise<void> {
    const { store } = this.#needs
    const isTaken = this.#isTaken(name)
    if (isTaken) {
      const isHeld = this.#isToBeHeld(name)
      const isSettled = this.#ownOnly.has(name) || isHeld === this.#held.has(name)
      if (this.#done.has(name) && isSettled) return
      const [{ announcement, statement }] = this.#takenBy(name) as [Word]
      const { target, reason, onBehalfOf } = statement
      this.#done.add(name)
      this.#held[isHeld ? 'add' : 'delete'](name)
      await store.takedown(target, reason, { by: onBehalfOf ?? announcement.peer, isHeld })
      return
    }
    if (!this.#done.has(name)) return
    if (store.release !== undefined && !this.#ownOnly.has(name)) {
      const [word] = this.#words(name)
      if (word === undefined) return
      await store.release(word.statement.target)
      this.#done.delete(name)
      this.#held.delete(name)
    }
  }

  /** Whether fewer administrators have taken it down than what is final takes. */
  #isToBeHeld(name: string): boolean {
    const { threshold } = this.#authority.settings
    if (threshold <= 1) return false
    const admins = this.#takenBy(name).filter(({ announcement }) =>
      this.#authority.isNow(announcement.peer, 'admin'),
    )
    return new Set(admins.map(({ announcement }) => announcement.peer)).size < threshold
  }
}
