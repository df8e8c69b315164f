// Watch visits: sees to it that watched pages are visited: fetched first where the archive lacks them, then as often and in such a way as
// their watches ask for.
//
// How often, and whether in a browser, is said by rules of the crawl, which hold on whichever peer crawls the site. What the watches of a
// target want together is one rule; it is set where nobody else has said something about the matter, and taken back when no watch
// wants it any more. What we are about to set is noted first, so that a process that is killed in between can tell its rules from others'.

import { PolyhistorError } from '../../errors.ts'
import type { JobRequest } from '../../model/jobs/job-service.ts'
import { type RuleFields, type RuleTarget, ruleName } from '../../model/jobs/site-rule.ts'
import type { Awaitable } from '../../model/listed.ts'
import { parseUrl, urlFromTyped } from '../../model/url/url.ts'
import { SerialQueue } from '../../platform/serial-queue.ts'
import type { PageWatch, WatchTarget } from './page-watch.ts'
import type { VersionReader } from './version-reader.ts'
import type { WatchBook } from './watch-book.ts'

type Wanted = Pick<RuleFields, 'fresh' | 'browser'>
type Field = keyof Wanted
const fields: readonly Field[] = ['fresh', 'browser']

type ListedRule = RuleFields & { readonly target: RuleTarget }

export interface WatchRules {
  list(): Awaitable<readonly ListedRule[]>
  change(wanted: { target: RuleTarget; set: RuleFields; unset: readonly Field[] }): Promise<unknown>
}

interface Needs {
  readonly book: WatchBook
  readonly rules: WatchRules
  readonly jobs: { start(request: JobRequest): Awaitable<{ readonly id: string }> }
  readonly reader: VersionReader
}

const notePrefix = 'rule '
const freshShare = 0.5
const browserOrder = ['never', 'auto', 'always'] as const

export class WatchVisits {
  readonly #needs: Needs
  /** What kept a watch's wish from being carried out, by watch. */
  readonly #troubles = new Map<string, string>()
  readonly #queue = new SerialQueue()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  trouble(id: string): string | undefined {
    return this.#troubles.get(id)
  }

  /** After a watch was made, changed or removed: for its target. */
  ensure(target: WatchTarget): Promise<void> {
    return this.#queue.run(async () => {
      const ruleTarget = ruleTargetOf(target)
      const name = ruleName(ruleTarget)
      const watches = [...this.#needs.book.all()].filter((watch) => nameOf(watch) === name)
      await this.#ensure(ruleTarget, watches, await this.#rulesByName())
    })
  }

  /** At the start: for all, and for what was left behind. */
  ensureAll(): Promise<void> {
    return this.#queue.run(async () => {
      const { book } = this.#needs
      const byName = new Map<string, PageWatch[]>()
      for (const watch of book.all()) {
        const { everyMs, browser, id } = watch
        if (everyMs === 0 && browser === undefined && book.state(id).archiving !== 'wanted') continue
        const name = nameOf(watch)
        byName.set(name, [...(byName.get(name) ?? []), watch])
      }
      const rules = await this.#rulesByName()
      for (const watches of byName.values())
        await this.#ensure(ruleTargetOf(watches[0]!.target), watches, rules)
      for (const [name] of [...book.notes(notePrefix)]) {
        const rule = rules.get(name)
        if (byName.has(name)) continue
        await this.#tried(() =>
          rule === undefined ? this.#note(name, {}) : this.#setRule(rule.target, {}, rule),
        )
      }
    })
  }

  async #rulesByName(): Promise<Map<string, ListedRule>> {
    return new Map((await this.#needs.rules.list()).map((rule) => [ruleName(rule.target), rule]))
  }

  async #ensure(
    target: RuleTarget,
    watches: readonly PageWatch[],
    rules: ReadonlyMap<string, ListedRule>,
  ): Promise<void> {
    const trouble = await this.#tried(async () => {
      await this.#setRule(target, wantedBy(watches), rules.get(ruleName(target)))
      for (const watch of watches) await this.#archive(watch)
    })
    for (const { id } of watches) {
      if (trouble === undefined) this.#troubles.delete(id)
      else this.#troubles.set(id, trouble)
    }
  }

  /** `rule`: the one that there is for the target. */
  async #setRule(target: RuleTarget, wanted: Wanted, rule: ListedRule | undefined): Promise<void> {
    const { rules } = this.#needs
    const name = ruleName(target)
    const noted = this.#noted(name)
    if (!hasAny(wanted) && !hasAny(noted)) return
    const isOurs = (field: Field) =>
      rule?.[field] === undefined || isSame(rule[field], noted[field]) || isSame(rule[field], wanted[field])
    const set = pick(wanted, (field) => isOurs(field) && !isSame(rule?.[field], wanted[field]))
    const unset = fields.filter(
      (field) =>
        wanted[field] === undefined &&
        noted[field] !== undefined &&
        rule?.[field] !== undefined &&
        isOurs(field),
    )
    const ours = pick(wanted, isOurs)
    // Both what is there and what will be, until it is.
    await this.#note(name, { ...pick(noted, (field) => unset.includes(field)), ...ours })
    if (hasAny(set) || unset.length > 0) await rules.change({ target, set, unset })
    await this.#note(name, ours)
  }

  async #archive(watch: PageWatch): Promise<void> {
    const { book, jobs, reader } = this.#needs
    const state = book.state(watch.id)
    if (state.archiving !== 'wanted' || watch.isPaused) return
    const url = pageOf(watch.target)
    const isThere = (await reader.newest(url)) !== undefined
    const job = isThere ? undefined : await jobs.start({ seeds: [url], scope: 'page', budgets: {} })
    const then = { ...state, archiving: isThere ? ('none' as const) : ('asked' as const), job: job?.id }
    await book.map.transaction(() => book.putState(watch.id, then))
  }

  async #tried(work: () => Promise<void>): Promise<string | undefined> {
    try {
      await work()
      return undefined
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return error.message
    }
  }

  #noted(name: string): Wanted {
    try {
      return JSON.parse(this.#needs.book.note(notePrefix + name) ?? '{}') as Wanted
    } catch {
      return {}
    }
  }

  async #note(name: string, wanted: Wanted): Promise<void> {
    const { book } = this.#needs
    const text = hasAny(wanted) ? JSON.stringify(wanted) : undefined
    if (book.note(notePrefix + name) === text) return
    await book.map.transaction(() => book.putNote(notePrefix + name, text))
    await book.map.flush()
  }
}

function nameOf({ target }: PageWatch): string {
  return ruleName(ruleTargetOf(target))
}

/** The page to begin with. */
export function pageOf(target: WatchTarget): string {
  return target.kind === 'site' ? urlFromTyped(target.site).href : target.url
}

export function ruleTargetOf(target: WatchTarget): RuleTarget {
  if (target.kind !== 'prefix') return target
  const { host, href } = parseUrl(target.url)
  const path = href.slice(href.indexOf('/', href.indexOf('://') + 3))
  if (path === '/') return { kind: 'host', host }
  return { kind: 'pattern', pattern: `^https?://${escaped(parseUrl(target.url).authority + path)}` }
}

/** The most often, and the most that any of them wants of a browser. */
function wantedBy(watches: readonly PageWatch[]): Wanted {
  const active = watches.filter(({ isPaused }) => !isPaused)
  const everyMs = Math.min(...active.map(({ everyMs: ms }) => ms || Number.POSITIVE_INFINITY))
  const uses = active.flatMap(({ browser }) => (browser === undefined ? [] : [browserOrder.indexOf(browser)]))
  return {
    ...(Number.isFinite(everyMs) && {
      fresh: { minMs: Math.max(60_000, Math.floor(everyMs * freshShare)), maxMs: everyMs },
    }),
    ...(uses.length > 0 && { browser: browserOrder[Math.max(...uses)]! }),
  }
}

function pick(wanted: Wanted, isPicked: (field: Field) => boolean): Wanted {
  return Object.fromEntries(
    fields
      .filter((field) => wanted[field] !== undefined && isPicked(field))
      .map((field) => [field, wanted[field]]),
  )
}

function hasAny(wanted: Wanted): boolean {
  return fields.some((field) => wanted[field] !== undefined)
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
