// What shows that a folder is a home and nothing else: a typo in --home must not lock people out of theirs.

import { readdir } from 'node:fs/promises'

const homeNames = ['store', 'token', 'network.json', 'config.toml', 'crawl']

/** An empty folder may become one. */
export async function isHome(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => undefined)
  return names !== undefined && (names.length === 0 || homeNames.some((name) => names.includes(name)))
}
