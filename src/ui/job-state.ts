// What is said of a crawl in a few words, on the page as it comes and as it lives on. The same words stand in all lists.

interface ToldJob {
  readonly state: string
  readonly ending?: string | null | undefined
  readonly outcome?: 'complete' | 'partly' | 'nothing' | null | undefined
}

const outcomes = { complete: 'complete', partly: 'partly kept', nothing: 'nothing kept' } as const

/** `running`, `complete`, `partly kept: budget of 50 pages is spent`. */
export function stateOf({ state, ending, outcome }: ToldJob): string {
  if (state !== 'done') return state
  const why = ending === 'cancelled' ? 'it was ended' : ending
  if (!why || why === 'complete') return outcomes[outcome ?? 'complete']
  return `${outcomes[outcome ?? 'partly']}: ${why}`
}

/** What the addresses are that were found and not fetched: a crawl that has ended leaves them out. */
export function pendingWords({ state }: Pick<ToldJob, 'state'>): string {
  return state === 'done' ? 'left out' : 'to do'
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
export const happeningWords: Readonly<Record<string, string>> = {
  same: 'unchanged',
  refused: 'not allowed',
  'not-kept': 'not kept',
  retry: 'later again',
}
