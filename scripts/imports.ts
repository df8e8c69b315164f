// Which source file imports which, and the layers of ARCHITECTURE.md: for the test that keeps them and for the picture of them.

import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const root = join(import.meta.dirname, '..')

/** The program's own files, without tests. */
export const sources: readonly string[] = globSync('src/**/*.ts', { cwd: root })
  .filter((file) => !/\.(test|fuzz|contract)\.ts$|fixtures/.test(file))
  .sort()

/** Lower layers know nothing of higher ones; `config` is at hand wherever the platform is. */
export const layers: readonly (readonly string[])[] = [
  ['model'],
  ['formats'],
  ['platform', 'config'],
  [
    'store',
    'crawl',
    'replay',
    'network',
    'changes',
    'graph',
    'rank',
    'search',
    'volunteer',
    'proof',
    'verification',
    'tables',
    'console',
  ],
  ['ui', 'api'],
  ['app'],
  ['demo'],
  ['cli'],
]

/** Parts of the network are folders of their own. */
export function folderOf(file: string): string {
  const [, folder, part] = file.split('/')
  return folder === 'network' ? `network/${part}` : folder!
}

/** Lowest first; -1 for the files right under src/. */
export function layerOf(file: string): number {
  return layers.findIndex((folders) => folders.includes(file.split('/')[1]!))
}

export function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) =>
    normalize(join(dirname(file), match[1]!)),
  )
}

/** Which other folders the files of a folder import; of folders that are in a layer. */
export function folderImports(): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>()
  for (const file of sources.filter((one) => layerOf(one) !== -1)) {
    const targets = importsOf(file).filter((one) => layerOf(one) !== -1)
    const folder = folderOf(file)
    const known = edges.get(folder) ?? new Set()
    for (const target of targets) if (folderOf(target) !== folder) known.add(folderOf(target))
    edges.set(folder, known)
  }
  return edges
}
