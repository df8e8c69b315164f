// Rules for planned visits on a network: set on one peer, announced to all, so that they apply wherever a site is crawled.
//
// Invariant: the frontier has the latest announced rule of each site and page, after a restart, too. Rules from before the home
// joined the network are announced. Rules for everything stay this peer's own.

import { PolyhistorError } from '../../errors.ts'
import type { VisitRule } from '../../model/planned-visit.ts'
import type { Log } from '../../platform/log.ts'
import type { Announcement } from '../announcements/announcement.ts'
import type { Announcements } from '../announcements/announcements.ts'
import {
  readVisitStatement,
  type SharedVisitTarget,
  type VisitStatement,
  visitKind,
  visitName,
  writeVisitStatement,
} from './visit-announcement.ts'

interface Needs {
  readonly announcements: Announcements
  readonly frontier: {
    visitRules(): VisitRule[]
    visitRule(target: SharedVisitTarget): VisitRule | undefined
    setVisitRule(target: SharedVisitTarget, rule: VisitRule | undefined): Promise<void>
  }
  readonly log: Log
  /** Visits may be due sooner. */
  wake(): void
}

const { kind } = visitKind

export class NetworkVisits {
  readonly #needs: Needs
  #stop = (): void => {}
  #last: Promise<void> = Promise.resolve()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async open(): Promise<void> {
    const { announcements, frontier, log } = this.#needs
    for (const { target, bounds } of frontier.visitRules()) {
      if (target.kind === 'all' || announcements.get(kind, visitName(target)) !== undefined) continue
      try {
        await this.#say(target, bounds === undefined ? 'stop' : 'every', bounds)
      } catch (error) {
        if (!(error instanceof PolyhistorError)) throw error
        log.warn({ err: error, rule: visitName(target) }, 'A rule for visits stays with this peer alone')
      }
    }
    this.#stop = announcements.follow(kind, (announcement) => this.#carryOut(announcement))
    await this.#last
  }

  /** Resolves when it holds here and is sure to be heard of. Rejects with 'notice-refused' what others would refuse. */
  async announce(
    target: SharedVisitTarget,
    state: VisitStatement['state'],
    bounds?: VisitRule['bounds'],
  ): Promise<void> {
    await this.#say(target, state, bounds)
    await this.#last
  }

  async close(): Promise<void> {
    this.#stop()
    await this.#last
  }

  async #say(
    target: SharedVisitTarget,
    state: VisitStatement['state'],
    bounds: VisitRule['bounds'],
  ): Promise<void> {
    const statement = { target, state, ...(state === 'every' && { bounds }) }
    await this.#needs.announcements.put(kind, visitName(target), writeVisitStatement(statement))
  }

  /** One after the other: each goes through the visits that it moves. */
  #carryOut(announcement: Announcement): void {
    const { announcements, log } = this.#needs
    this.#last = this.#last.then(async () => {
      try {
        await this.#settle(announcement.name)
      } catch (error) {
        if (!(error instanceof PolyhistorError)) return announcements.setAside(announcement, error)
        log.error(
          { err: error, rule: announcement.name },
          'A rule for visits of the network could not be carried out',
        )
      }
    })
  }

  /** Whatever counts now: something later may have been said since. */
  async #settle(name: string): Promise<void> {
    const { announcements, frontier, wake } = this.#needs
    const announcement = announcements.get(kind, name)
    if (announcement === undefined) return
    const { target, state, bounds } = readVisitStatement(announcement.value) as VisitStatement
    const rule = state === 'resume' ? undefined : { target, bounds }
    if (isSame(frontier.visitRule(target), rule)) return
    await frontier.setVisitRule(target, rule)
    wake()
  }
}

function isSame(one: VisitRule | undefined, other: VisitRule | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return one.bounds?.minMs === other.bounds?.minMs && one.bounds?.maxMs === other.bounds?.maxMs
}
