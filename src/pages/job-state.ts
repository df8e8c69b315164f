// The state of a crawl in a word or two, on the page as it comes and as it lives on.

export function stateOf({ state, ending }: { state: string; ending?: string | null | undefined }): string {
  if (state !== 'done') return state
  return ending === undefined || ending === null || ending === 'complete' ? 'complete' : `ended: ${ending}`
}
