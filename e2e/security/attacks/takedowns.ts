// Takedowns that no honest peer would write: of everything, or of nothing that can be.

import type { Attack } from '../attack.ts'

function takedown(name: string, tries: string, target: unknown): Attack {
  return {
    name: `takedown: ${name}`,
    tries,
    run: async ({ hostile, ids }) => {
      const value = new Uint8Array(Buffer.from(JSON.stringify({ target, reason: '', state: 'taken' })))
      const announcement = { kind: 'takedown', name: nameOf(target), value }
      await hostile.do('announce', { peers: ids, announcements: [announcement] })
      return []
    },
  }
}

/** As the program names the takedown of such a target. */
function nameOf(target: unknown): string {
  const entries = Object.entries(Object(target)).sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify(entries).slice(0, 4_000)
}

export const takedownAttacks: readonly Attack[] = [
  takedown('target null', 'A takedown whose target is null', null),
  takedown('site 5', 'A takedown of a site that is a number', { kind: 'site', site: 5 }),
  takedown('url missing', 'A takedown of a URL without the URL', { kind: 'url' }),
  takedown('url a number', 'A takedown of a URL that is a number', { kind: 'url', url: 7 }),
  takedown('prefix missing', 'A takedown of a prefix without the prefix', { kind: 'prefix' }),
  takedown('unknown kind', 'A takedown of a kind that does not exist', { kind: 'planet', planet: 'x' }),
  takedown('all', 'A takedown of everything that the network keeps', { kind: 'all' }),
  takedown('ring', 'A takedown of the whole ring as a range', {
    kind: 'ring',
    from: '0'.repeat(40),
    to: 'f'.repeat(40),
  }),
  takedown('site of 400 kB', 'A takedown of a site with a name of 400 kB', {
    kind: 'site',
    site: `${'a'.repeat(400_000)}.test`,
  }),
]
