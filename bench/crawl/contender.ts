// Those who crawl the generated web, each as the command that a person would give.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { OriginProcess } from './origin-process.ts'

export interface CrawlCommand {
  readonly file: string
  readonly words: readonly string[]
  readonly environment?: Record<string, string>
}

export interface CrawlContender {
  readonly name: string
  /** How to install it, when it is not there. */
  readonly missing: string | undefined
  command(origin: OriginProcess, folder: string): CrawlCommand
  /** How long its event loop is held up is of interest too. */
  readonly hasEventLoop?: boolean
}

const root = join(import.meta.dirname, '..', '..')
const here = import.meta.dirname

export function polyhistor(compression: 'gzip' | 'zstd'): CrawlContender {
  return {
    name: `polyhistor, ${compression} volumes`,
    missing: undefined,
    command: ({ start }, folder) => ({
      file: join(root, 'bin', 'polyhistor'),
      words: [
        ...['crawl', start, '--home', join(folder, 'home'), '--set', `store.compression=${compression}`],
        ...['--scope', 'any', '--allow-address', '127.0.0.0/8', '--delay', '0', '--ignore-robots', '--json'],
      ],
    }),
    hasEventLoop: true,
  }
}

/** The program of a tree, without bin/polyhistor before it; or another, such as a built one. */
export function polyhistorOf(tree: string, main = join('src', 'cli', 'main.ts')): CrawlContender {
  const { command, ...rest } = polyhistor('gzip')
  return {
    ...rest,
    command: (origin, folder) => ({
      file: join(root, 'node_modules', 'node', 'bin', 'node'),
      words: [join(tree, main), ...command(origin, folder).words],
    }),
  }
}

/** The same with other settings, each as NAME=VALUE. */
export function withSettings(
  { command, ...rest }: CrawlContender,
  settings: readonly string[],
): CrawlContender {
  return {
    ...rest,
    command: (origin, folder) => {
      const made = command(origin, folder)
      return { ...made, words: [...made.words, ...settings.flatMap((setting) => ['--set', setting])] }
    },
  }
}

/** What Node and the libraries take for it, with nothing of ours. */
export const floor: CrawlContender = {
  name: 'floor (no frontier, no index)',
  missing: undefined,
  command: ({ start }, folder) => ({
    file: join(root, 'node_modules', 'node', 'bin', 'node'),
    words: [join(here, 'floor-crawl.ts'), start, folder],
  }),
  hasEventLoop: true,
}

export const wget: CrawlContender = {
  name: 'wget -r --warc-file',
  missing: missing('wget', 'apt install wget'),
  command: ({ start, addresses }, folder) => ({
    file: 'wget',
    words: [
      ...['-q', '-r', '-l', 'inf', '-e', 'robots=off', '-H', '-D', addresses.join(',')],
      ...['-P', join(folder, 'files'), '--warc-file', join(folder, 'wget'), start],
    ],
  }),
}

export const wget2: CrawlContender = {
  name: 'wget2 -r (no archive)',
  missing: missing('wget2', 'apt install wget2'),
  command: ({ start, addresses }, folder) => ({
    file: 'wget2',
    words: [
      ...['-q', '-r', '-l', '0', '--robots=off', '-H', '-D', addresses.join(','), '--max-threads', '20'],
      ...['-P', join(folder, 'files'), start],
    ],
  }),
}

export const scrapy: CrawlContender = {
  name: 'Scrapy (no archive)',
  missing: missing('scrapy', 'apt install python3-scrapy'),
  command: ({ start }) => ({
    file: 'scrapy',
    words: ['runspider', '--nolog', join(here, 'scrapy-spider.py'), '-a', `start=${start}`],
  }),
}

/** `folder` is one where `npm install crawlee` was run, or `npm install @crawlee/cheerio`, which is the part used. */
export function crawlee(folder: string | undefined): CrawlContender {
  const names = ['crawlee', join('@crawlee', 'cheerio')]
  const isThere = folder !== undefined && names.some((name) => existsSync(join(folder, 'node_modules', name)))
  return {
    name: 'Crawlee CheerioCrawler (no archive)',
    missing: isThere
      ? undefined
      : 'npm install @crawlee/cheerio in a folder of its own, then --crawlee FOLDER',
    command: ({ start }, work) => ({
      file: join(root, 'node_modules', 'node', 'bin', 'node'),
      words: [join(here, 'crawlee-crawl.ts'), folder!, start],
      environment: { CRAWLEE_STORAGE_DIR: join(work, 'storage'), CRAWLEE_LOG_LEVEL: 'ERROR' },
    }),
  }
}

function missing(file: string, how: string): string | undefined {
  return spawnSync(file, ['--version'], { stdio: 'ignore' }).error === undefined ? undefined : how
}
