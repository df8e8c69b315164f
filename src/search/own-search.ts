// Own search: what this peer's index finds. What was taken down is left out at once, whatever the index still has of it.

import type { SearchAnswer, SearchHit, SearchQuestion, SearchService } from './search-answer.ts'
import type { SearchClient } from './search-client.ts'

interface Needs {
  readonly client: SearchClient
  /** It was taken down. */
  isHidden(href: string): boolean
  /** What the archive has and the index does not know, as sentences. */
  lacks(): readonly string[]
}

/** Lists that are asked for to fill one, where much of them is hidden. */
const listsMax = 20

export class OwnSearch implements SearchService {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async search(question: SearchQuestion): Promise<SearchAnswer> {
    const { client, isHidden, lacks } = this.#needs
    const hits: SearchHit[] = []
    let first: SearchAnswer | undefined
    let hidden = 0
    let cursor = question.cursor
    for (let lists = 1; ; lists++) {
      const limit = question.limit - hits.length
      const hasFacets = question.hasFacets === true && lists === 1
      const answer: SearchAnswer = await client.run({
        kind: 'search',
        question: { ...question, limit, cursor, hasFacets },
      })
      const shown = answer.hits.filter(({ href }) => !isHidden(href))
      hidden += answer.hits.length - shown.length
      hits.push(...shown)
      cursor = answer.cursor
      first ??= answer
      const isFull = hits.length >= question.limit || cursor === undefined
      if (!isFull && lists < listsMax) continue
      const missing = [...(first.isPartial ? ['What could not be looked at in time.'] : []), ...lacks()]
      return { ...first, hits, cursor, total: first.total - hidden, isPartial: missing.length > 0, missing }
    }
  }
}
