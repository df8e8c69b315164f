// Actions: what the owner does from the console, carried out by the parts that there are, logged, and undone where it can be.
//
// What concerns sites of a network is a rule, a job or a takedown, which every peer checks by its own lights; what concerns a peer
// is done to this one only. One action at a time: what is undone depends on what was before.
// Invariants: nothing is done that is not in the log first. To undo takes back only what the action changed, and not when
// somebody changed it since.

import { isDeepStrictEqual } from 'node:util'
import type { RuleService } from '../crawl/rules/rule-service.ts'
import { readRuleChange, readTarget, writeFields, writeTarget } from '../crawl/rules/written-rule.ts'
import { PolyhistorError } from '../errors.ts'
import type { JobService } from '../model/jobs/job-service.ts'
import { type RuleTarget, ruleName } from '../model/jobs/site-rule.ts'
import type { Clock } from '../platform/clock.ts'
import { SerialQueue } from '../platform/serial-queue.ts'
import { ActionError } from './action-error.ts'
import type { ActionLog } from './action-log.ts'
import { type ActionRecord, isUndoable, type UndoPlan } from './action-record.ts'
import { type ActionRequest, aboutWords, actionWords } from './action-request.ts'
import type { PeerControl } from './peer-control.ts'
import { changeRoles, type RoleChanges, takeBackRole } from './role-actions.ts'

export type TakenDown =
  | { readonly kind: 'site'; readonly site: string }
  | { readonly kind: 'url'; readonly url: string }

interface Needs {
  readonly clock: Clock
  readonly log: ActionLog
  readonly rules: Pick<RuleService, 'list' | 'change'>
  readonly jobs: Pick<JobService, 'start' | 'cancel'>
  readonly takedowns: {
    takedown(target: TakenDown, reason: string): Promise<{ readonly captures: number }>
    release(target: TakenDown, reason: string): Promise<{ readonly captures: number }>
  }
  readonly upkeep: { start(task: 'scrub' | 'compact'): void }
  readonly peer: PeerControl
  /** Which peers crawl sites instead of those that the ring names; undefined where there is no network. */
  readonly placements?: SiteMoves | undefined
  /** undefined where there is no network, or before it is open. */
  roles?(): RoleChanges | undefined
}

export interface SiteMoves {
  get(site: string): { readonly peer: string } | undefined
  /** undefined: as the ring has it. Rejects when that peer cannot. */
  set(site: string, peer: string | undefined): Promise<void>
}

export interface Actor {
  readonly by: ActionRecord['by']
  readonly from: string
}

interface Done {
  readonly message: string
  readonly undo?: UndoPlan | undefined
}

type Written = Record<string, string | number | boolean | null>

export class Actions {
  readonly #needs: Needs
  readonly #queue = new SerialQueue()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  list(limit: number, before?: number): ActionRecord[] {
    return this.#needs.log.list(limit, before)
  }

  /** Rejects as its part does, when the log has that. */
  carryOut(request: ActionRequest, actor: Actor): Promise<ActionRecord> {
    return this.#queue.run(async () => {
      const about = aboutWords(request)
      const begun = await this.#begin(request.kind, about, actor)
      return this.#finish(begun, () => this.#do(request))
    })
  }

  /** An action of its own, which the log has, too. */
  undo(id: number, actor: Actor): Promise<ActionRecord> {
    return this.#queue.run(async () => {
      const record = this.#needs.log.find(id)
      if (record === undefined)
        throw new ActionError('action-unknown', `There is no action ${id} in the log.`)
      if (!isUndoable(record))
        throw new ActionError('action-not-undoable', 'This action cannot be undone, or was undone already.')
      const begun = await this.#begin('undo', `${wordsOf(record.kind)}: ${record.about}`, actor)
      const done = await this.#finish(begun, () => this.#takeBack(record.undo!))
      await this.#needs.log.change({ ...record, undoneAtMs: this.#nowMs() })
      return done
    })
  }

  #begin(kind: string, about: string, { by, from }: Actor): Promise<ActionRecord> {
    const record = { atMs: this.#nowMs(), by, from, kind, about, outcome: 'begun' as const, message: '' }
    return this.#needs.log.append(record)
  }

  async #finish(begun: ActionRecord, work: () => Promise<Done>): Promise<ActionRecord> {
    const { log } = this.#needs
    try {
      const { message, undo } = await work()
      return await log.change({ ...begun, outcome: 'done', message, ...(undo && { undo }) })
    } catch (error) {
      if (error instanceof PolyhistorError)
        await log.change({ ...begun, outcome: 'failed', message: error.message })
      throw error
    }
  }

  async #do(request: ActionRequest): Promise<Done> {
    const { target, url, every, reason } = request
    switch (request.kind) {
      case 'pause':
        return this.#rule(target!, { access: 'pause' }, 'Nothing of it is fetched; what is found waits.')
      case 'remove':
      case 'deny':
        return this.#rule(target!, { access: 'deny' }, 'It is not crawled any more. What is archived stays.')
      case 'allow':
        return this.#rule(target!, { access: 'allow' }, 'It is crawled.')
      case 'resume':
        return this.#rule(target!, { access: null }, 'It is crawled on.')
      case 'revisit-every':
        return this.#rule(
          target!,
          { fresh: every ?? null },
          every ? `Visited every ${every}.` : 'Visited as it changes.',
        )
      case 'take-down':
        return this.#takeDown(target!, reason)
      case 'add-site':
      case 'reseed':
        return this.#crawl(url!.href, 'site')
      case 'revisit-now':
        return this.#crawl(url!.href, 'page')
      case 'move':
        return this.#move(target!, request.peer)
      case 'grant':
      case 'revoke':
      case 'approve':
        return changeRoles(this.#roles, request)
      case 'scrub':
      case 'compact':
        this.#needs.upkeep.start(request.kind)
        return { message: 'Begun.' }
      case 'restart':
        this.#needs.peer.restart()
        return { message: 'This peer stops, and comes back at the same address.' }
      case 'drain':
        this.#needs.peer.drain()
        return { message: 'Crawling ends; what is here goes to the others.', undo: { kind: 'stay' } }
    }
  }

  async #rule(target: RuleTarget, after: Written, message: string): Promise<Done> {
    const before = await this.#said(target, Object.keys(after))
    await this.#needs.rules.change(readRuleChange({ ...writeTarget(target), ...after }))
    const now = await this.#said(target, Object.keys(after))
    return { message, undo: { kind: 'rule', target: { ...writeTarget(target) }, before, after: now } }
  }

  /** What the rule for this very target says of these matters, null where it says nothing. */
  async #said(target: RuleTarget, matters: readonly string[]): Promise<Written> {
    const rules = await this.#needs.rules.list()
    const rule = rules.find((known) => ruleName(known.target) === ruleName(target))
    const written = rule === undefined ? {} : writeFields(rule)
    return Object.fromEntries(matters.map((matter) => [matter, written[matter] ?? null]))
  }

  async #takeDown(target: RuleTarget, reason: string): Promise<Done> {
    if (target.kind !== 'site' && target.kind !== 'url')
      throw new ActionError('action-malformed', 'A site or a URL can be taken down.')
    const { captures } = await this.#needs.takedowns.takedown(target, reason)
    const name = target.kind === 'site' ? target.site : target.url
    return {
      message: `${countWords(captures)} of this peer hidden.`,
      undo: { kind: 'release', target: { kind: target.kind, name } },
    }
  }

  async #move(target: RuleTarget, peer: string | undefined): Promise<Done> {
    const { placements } = this.#needs
    if (target.kind !== 'site')
      throw new ActionError('action-malformed', 'A site can be moved: name it as "site".')
    if (placements === undefined)
      throw new ActionError('site-not-movable', 'This archive has one peer: there is nobody to move it to.')
    const { site } = target
    const before = placements.get(site)?.peer ?? null
    await placements.set(site, peer)
    const words = peer === undefined ? 'the peer that the ring names' : peer
    return {
      message: `It goes to ${words} when the requests under way have ended.`,
      undo: { kind: 'move', site, before, after: peer ?? null },
    }
  }

  get #roles(): RoleChanges {
    const roles = this.#needs.roles?.()
    if (roles === undefined)
      throw new ActionError('action-malformed', 'This archive has one peer: nobody has a role in it.')
    return roles
  }

  async #crawl(href: string, scope: 'site' | 'page'): Promise<Done> {
    const { id } = await this.#needs.jobs.start({ seeds: [href], scope, budgets: {} })
    return { message: `Crawl ${id}.`, undo: { kind: 'job', id } }
  }

  async #takeBack(plan: UndoPlan): Promise<Done> {
    const { rules, jobs, takedowns, peer } = this.#needs
    switch (plan.kind) {
      case 'rule': {
        const target = readTarget(plan.target)
        if (!isDeepStrictEqual(await this.#said(target, Object.keys(plan.after)), { ...plan.after }))
          throw new ActionError('action-superseded', 'The rule was changed since. Change it at /rules.')
        await rules.change(readRuleChange({ ...plan.target, ...plan.before }))
        return { message: 'The rule says what it said before.' }
      }
      case 'job':
        await jobs.cancel(plan.id)
        return { message: 'The crawl is cancelled. What it has fetched stays.' }
      case 'release': {
        const { kind, name } = plan.target
        const target = kind === 'site' ? ({ kind, site: name } as const) : ({ kind, url: name } as const)
        const { captures } = await takedowns.release(target, 'undone')
        return { message: `${countWords(captures)} of this peer shown again.` }
      }
      case 'stay':
        peer.stay()
        return { message: 'This peer stays.' }
      case 'move': {
        const now = this.#needs.placements?.get(plan.site)?.peer ?? null
        if (now !== plan.after) throw new ActionError('action-superseded', 'The site was moved again since.')
        await this.#needs.placements?.set(plan.site, plan.before ?? undefined)
        return { message: 'It goes back to where it was.' }
      }
      case 'role':
        return { message: await takeBackRole(this.#roles, plan) }
    }
  }

  #nowMs(): number {
    return Math.floor(this.#needs.clock.nowMs())
  }
}

function countWords(captures: number): string {
  return captures === 1 ? '1 capture' : `${captures} captures`
}

/** Of the log. */
export function wordsOf(kind: string): string {
  return kind === 'undo' ? 'Undo' : ((actionWords as Readonly<Record<string, string>>)[kind] ?? kind)
}
