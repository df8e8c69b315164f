// The rules of a network: set on one peer, announced to all, so that they hold wherever a site is crawled.
//
// Invariant: the frontier has the latest announced rule of each target, after a restart and after a change of roles, too: of several
// authors' that may set it the later by version, then by peer. Rules from before the home joined the network are announced, where its
// role allows that. Rules for everything stay this peer's own.

import { PolyhistorError } from '../../errors.ts'
import {
  fieldsOf,
  isSameRule,
  type RuleFields,
  type RuleTarget,
  ruleName,
  type SiteRule,
} from '../../model/jobs/site-rule.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { type Announcement, isLater } from '../announcements/announcement.ts'
import type { Announcements } from '../announcements/announcements.ts'
import { everyMember, type RoleAuthority, siteOfRule } from '../roles/role-authority.ts'
import {
  type RuleAnnouncement,
  readRuleAnnouncement,
  ruleKind,
  writeRuleAnnouncement,
} from './rule-announcement.ts'
import { readVisitAnnouncement, visitKind } from './visit-announcement.ts'

interface Needs {
  readonly self: PeerId
  readonly announcements: Announcements
  readonly frontier: {
    readonly rules: { all(): SiteRule[]; get(target: RuleTarget): SiteRule | undefined }
    setRule(rule: SiteRule): Promise<void>
    removeRule(target: RuleTarget): Promise<void>
  }
  readonly log: Log
  /** Where members have no roles: every member may set every rule. */
  readonly authority?: RoleAuthority | undefined
  /** Other URLs may be due, or due sooner. */
  wake(): void
}

/** A rule that was said, as people read it. */
export interface ToldRule {
  readonly rule: string
  readonly author: PeerId
  readonly atMs: number
  readonly isRemoved: boolean
  readonly counts: boolean
}

export type SharedTarget = Exclude<RuleTarget, { kind: 'all' }>

export class NetworkRules {
  readonly #needs: Needs
  readonly #authority: RoleAuthority
  readonly #stops: (() => void)[] = []
  /** Rules hold already; visits and queued URLs that they concern are still being gone through. */
  readonly #underWay = new Set<Promise<void>>()

  constructor(needs: Needs) {
    this.#needs = needs
    this.#authority = needs.authority ?? everyMember
  }

  async open(): Promise<void> {
    const { announcements, frontier, log } = this.#needs
    for (const rule of frontier.rules.all()) {
      const { target } = rule
      if (target.kind === 'all' || this.#words(ruleName(target)).length > 0) continue
      try {
        await this.#announce({ target, isRemoved: false, ...fieldsOf(rule) })
      } catch (error) {
        if (!(error instanceof PolyhistorError)) throw error
        log.warn({ err: error, rule: ruleName(target) }, 'A rule stays with this peer alone')
      }
    }
    for (const { kind } of [ruleKind, visitKind])
      this.#stops.push(announcements.follow(kind, (announcement) => this.#carryOut(announcement)))
    this.#stops.push(this.#authority.onChange(() => this.#settleAll()))
    await Promise.all(this.#underWay)
  }

  /** Resolves when it holds here and is sure to be heard of. Rejects with 'notice-refused' what others would refuse. */
  async set(target: SharedTarget, fields: RuleFields): Promise<void> {
    await this.#announce({ target, isRemoved: false, ...fields })
  }

  async remove(target: SharedTarget): Promise<void> {
    await this.#announce({ target, isRemoved: true })
  }

  /** All that was said. */
  told(): ToldRule[] {
    const { announcements } = this.#needs
    return [...announcements.all(ruleKind.kind)].flatMap((announcement) => {
      const rule = readRuleAnnouncement(announcement.value)
      if (typeof rule === 'string') return []
      const { name, peer: author, version: atMs } = announcement
      const counts = this.#authority.counts(announcement, rule.by, siteOfRule(rule.target))
      return [{ rule: name, author, atMs, isRemoved: rule.isRemoved, counts }]
    })
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop()
    await Promise.all(this.#underWay)
  }

  async #announce(rule: RuleAnnouncement): Promise<void> {
    const by = this.#authority.rightTo('set rules', siteOfRule(rule.target))
    await this.#say(by === undefined ? rule : { ...rule, by })
    await Promise.all(this.#underWay)
  }

  /** Roles have changed, and with them whose rules count. */
  #settleAll(): void {
    const latest = new Map<string, Announcement>()
    for (const { kind } of [ruleKind, visitKind])
      for (const announcement of this.#needs.announcements.all(kind))
        latest.set(announcement.name, announcement)
    for (const announcement of latest.values()) this.#carryOut(announcement)
  }

  async #say(rule: RuleAnnouncement): Promise<void> {
    await this.#needs.announcements.put(ruleKind.kind, ruleName(rule.target), writeRuleAnnouncement(rule))
  }

  /** It holds at once, however many visits earlier ones still have to move. */
  #carryOut(announcement: Announcement): void {
    const { announcements, log } = this.#needs
    const carriedOut = this.#settle(announcement.name)
      .catch((error: unknown) => {
        if (!(error instanceof PolyhistorError)) return announcements.setAside(announcement, error)
        log.error({ err: error, rule: announcement.name }, 'A rule of the network could not be carried out')
      })
      .finally(() => this.#underWay.delete(carriedOut))
    this.#underWay.add(carriedOut)
  }

  /** Whatever counts now: something later may have been said since. */
  async #settle(name: string): Promise<void> {
    const { frontier, wake } = this.#needs
    const latest = this.#latest(name)
    if (latest === undefined) return this.#dropUnfounded(name)
    const { announcement, rule } = latest
    const { target, isRemoved, by: _, ...fields } = rule
    const before = frontier.rules.get(target)
    const next = isRemoved
      ? undefined
      : { ...fields, target, setAtMs: announcement.version, setBy: announcement.peer }
    if (isSameRule(before, next) && before?.setAtMs === next?.setAtMs && before?.setBy === next?.setBy) return
    if (next === undefined) await frontier.removeRule(target)
    else await frontier.setRule(next)
    wake()
  }

  /** Nobody who said it may: what was set by one of them while it could is gone. */
  async #dropUnfounded(name: string): Promise<void> {
    const { frontier, wake } = this.#needs
    const [word] = this.#words(name)
    const before = word && frontier.rules.get(word.rule.target)
    if (word === undefined || before === undefined || before.setBy === '') return
    await frontier.removeRule(word.rule.target)
    wake()
  }

  /** Of what was said about it, by whichever version of this program, by those who may. */
  #latest(name: string): { announcement: Announcement; rule: RuleAnnouncement } | undefined {
    let latest: { announcement: Announcement; rule: RuleAnnouncement } | undefined
    for (const word of this.#words(name)) {
      const { announcement, rule } = word
      if (!this.#authority.counts(announcement, rule.by, siteOfRule(rule.target))) continue
      if (latest === undefined || isLater(announcement, latest.announcement)) latest = word
    }
    return latest
  }

  #words(name: string): { announcement: Announcement; rule: RuleAnnouncement }[] {
    const { announcements } = this.#needs
    return [
      [ruleKind.kind, readRuleAnnouncement] as const,
      [visitKind.kind, readVisitAnnouncement] as const,
    ].flatMap(([kind, read]) =>
      [...announcements.named(kind, name)].flatMap((announcement) => {
        const rule = read(announcement.value)
        return typeof rule === 'string' ? [] : [{ announcement, rule }]
      }),
    )
  }
}
