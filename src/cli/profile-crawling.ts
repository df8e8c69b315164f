// Crawling in the home of a profile: with its session, and in a browser unless told otherwise, for who logs in sees what scripts write.

import type { CrawlerOptions } from '../app/crawl/crawler.ts'
import { profileOf, sessionOf } from '../app/profiles/profile-home.ts'
import type { CrawlCommandOptions } from './commands/crawl/crawl.ts'
import type { Context } from './context.ts'

/** Addresses by which one is logged out: who follows links with a session would not have it for long. */
const leaving = '(?i)[/?&=._-](?:log|sign)[-_]?(?:out|off)'

/** Links are not followed unless that is asked for: with an account, they do things. */
export async function withProfileWishes<Options extends Pick<CrawlCommandOptions, 'scope' | 'exclude'>>(
  { home }: Context,
  options: Options,
): Promise<Options> {
  if ((await profileOf(home.folder)) === undefined) return options
  return { ...options, scope: options.scope ?? 'page', exclude: [...(options.exclude ?? []), leaving] }
}

export async function withProfile<Options extends CrawlerOptions>(
  { home, configuration }: Context,
  options: Options,
  isBrowserChosen: boolean,
): Promise<Options> {
  if ((await profileOf(home.folder)) === undefined) return options
  const session = await sessionOf(home.folder)
  if (isBrowserChosen) return { ...options, session }
  const path = configuration.values['crawl.browserPath']
  return { ...options, session, browser: { mode: 'always', path, isRequired: true } }
}
