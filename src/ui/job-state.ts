// What is said of a crawl in a few words, on the page as it comes and as it lives on. The same words stand in all lists.

import { type Html, html, inEnglish } from './markup/html.ts'
import { jobStateTexts } from './texts/job-state.ts'

interface ToldJob {
  readonly state: string
  readonly ending?: string | null | undefined
  readonly outcome?: 'complete' | 'partly' | 'nothing' | null | undefined
}

const outcomes = {
  complete: jobStateTexts.complete,
  partly: jobStateTexts.partly,
  nothing: jobStateTexts.nothing,
} as const

const states: Readonly<Record<string, Html>> = {
  running: jobStateTexts.running,
  paused: jobStateTexts.paused,
}

/** `running`, `complete`, `partly kept: budget of 50 pages is spent`. */
export function stateOf({ state, ending, outcome }: ToldJob): Html {
  if (state !== 'done') return states[state] ?? html`${state}`
  const why = ending === 'cancelled' ? jobStateTexts.wasEnded : ending && inEnglish(ending)
  if (!why || ending === 'complete') return outcomes[outcome ?? 'complete']
  return html`${outcomes[outcome ?? 'partly']}: ${why}`
}

/** What the addresses are that were found and not fetched: a crawl that has ended leaves them out. */
export function pendingWords({ state }: Pick<ToldJob, 'state'>): Html {
  return state === 'done' ? jobStateTexts.leftOut : jobStateTexts.toDo
}

/** The share of the known addresses that are done, from 0 to 1. */
export function shareDone({
  state,
  counters: { queued, pending },
}: Pick<ToldJob, 'state'> & { counters: { readonly queued: number; readonly pending: number } }): number {
  if (queued === 0) return state === 'done' ? 1 : 0
  return 1 - pending / queued
}

/** For the stylesheet. */
export function stateClass({ state, outcome }: ToldJob): string {
  return state === 'done' ? `state done ${outcome ?? ''}`.trim() : `state ${state}`
}

/** What happened to a URL. */
export const happeningWords: Readonly<Record<string, Html>> = {
  new: jobStateTexts.new,
  changed: jobStateTexts.changed,
  failed: jobStateTexts.failed,
  same: jobStateTexts.unchanged,
  refused: jobStateTexts.refused,
  'not-kept': jobStateTexts.notKept,
  retry: jobStateTexts.again,
}
