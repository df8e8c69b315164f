// Facets of several answers, summed. A site lies with one of them, so its best twelve of each are enough for the best of all.

import type { FacetCount, SearchFacets } from '../../search/search-answer.ts'
import { documentTypes } from '../../search/text/page-text.ts'

const shownMax = 12

export function mergedFacets(all: readonly (SearchFacets | undefined)[]): SearchFacets {
  const summed = (name: keyof SearchFacets): FacetCount[] => {
    const counts = new Map<string, number>()
    for (const facets of all)
      for (const { name: value, count } of facets?.[name] ?? [])
        counts.set(value, (counts.get(value) ?? 0) + count)
    return [...counts].map(([value, count]) => ({ name: value, count }))
  }
  const largest = (name: keyof SearchFacets): FacetCount[] =>
    summed(name)
      .sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1))
      .slice(0, shownMax)
  return {
    sites: largest('sites'),
    years: summed('years').sort((one, other) => Number(one.name) - Number(other.name)),
    types: documentTypes.flatMap((type) => summed('types').filter(({ name }) => name === type)),
    languages: largest('languages'),
  }
}
