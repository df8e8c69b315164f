// Mentions for the links of the exchange benchmark: where each was found, nine to a page, with the words that it was linked with: of a
// link to an article mostly its title, as it stands in the address, or one of a few that every page has.

import type { LinkMention } from '../../src/model/page-link.ts'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import type { MixedLink } from './link-mixes.ts'

const linksPerPage = 9
const common = ['Read more', 'Home', 'More', 'Share', 'Next', 'Comments', 'Website', 'here', 'Source', 'via']
const startMs = Date.UTC(2026, 0)

/** One for each link. `pages`: where they may have been found. */
export function mentionsOf(
  links: readonly MixedLink[],
  pages: readonly MixedLink[],
  hasTexts: boolean,
): LinkMention[] {
  const random = new SimulatedRandom('mentions')
  return links.map(({ href }, index) => {
    const page = Math.floor(index / linksPerPage)
    return {
      page: pages[page % pages.length]!.href,
      relation: 'a href',
      isNoFollow: random.chance(0.1),
      text: hasTexts ? textOf(href, random) : '',
      atMs: startMs + page * 137,
      isGone: false,
    }
  })
}

function textOf(href: string, random: SimulatedRandom): string {
  if (random.chance(0.35)) return common[random.below(common.length)]!
  const words = new URL(href).pathname.split(/[^A-Za-z]+/).filter((word) => word.length > 2)
  const title = words.slice(-8).join(' ')
  return title === '' ? new URL(href).hostname : title[0]!.toUpperCase() + title.slice(1, 120)
}
