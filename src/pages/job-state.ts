// The state of a crawl in a word or two, on the page as it comes and as it lives on; and the words of what became of a URL.

interface StatedJob {
  readonly state: string
  readonly ending?: string | null | undefined
  readonly outcome?: string | null | undefined
}

const outcomeWords: Readonly<Record<string, string>> = {
  complete: 'complete',
  partly: 'partly kept',
  nothing: 'nothing kept',
}

export function stateOf({ state, ending, outcome }: StatedJob): string {
  if (state !== 'done') return state
  const word = outcomeWords[outcome ?? 'complete'] ?? 'done'
  if (ending === undefined || ending === null || ending === 'complete') return word
  return outcome === 'nothing' ? `${word}, ended: ${ending}` : `ended: ${ending}`
}

/** What the style sheet goes by: `done partly`. */
export function stateClass({ state, outcome }: StatedJob): string {
  return outcome !== undefined && outcome !== null && state === 'done' ? `${state} ${outcome}` : state
}

/** As all lists of crawls call what happened to a URL. */
export function urlOutcomeWord(outcome: string): string {
  if (outcome === 'same') return 'unchanged'
  return outcome === 'refused' ? 'not allowed' : outcome.replaceAll('-', ' ')
}
