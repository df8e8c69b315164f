// One run of the program: the options that all commands share, and how a run ends.

import { Command, CommanderError, Option } from 'commander'
import { PolyhistorError } from '../errors.ts'
import { version } from '../version.ts'
import { addCommands } from './command-tree.ts'
import { type Context, contextFrom, type GlobalOptions } from './context.ts'
import { type ExitCode, exitCodeOf, exitCodes } from './exit-codes.ts'
import { collect } from './tree/shared-options.ts'
import { UsageError } from './usage-error.ts'

/** A command's work. What it returns is the exit code; nothing means that all went well. */
export type Work = (context: Context, words: string[], options: never) => Promise<ExitCode | undefined>

/** Makes commander's action of a work that is loaded when it is called for. */
export type Perform = (load: () => Promise<Work>) => (...given: unknown[]) => Promise<void>

const lingerMs = 1_000

export async function run(words: string[]): Promise<void> {
  const program = await commandTree(words[0], (code) => {
    process.exitCode = code
  })
  // Help is written before any command has its terminal.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
  })
  try {
    if (words.length === 0 && process.env.npm_lifecycle_event !== 'start') program.outputHelp()
    else if (words.length === 0) await program.parseAsync(['peer'], { from: 'user' })
    else await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    process.exitCode = endedBy(error, words.includes('--json'))
  }
  // All is closed and written. What others still wait for, such as answers of peers that are gone, must not hold us up.
  setTimeout(() => process.exit(), lingerMs).unref()
}

async function commandTree(asked: string | undefined, end: (code: ExitCode) => void): Promise<Command> {
  const program: Command = new Command('polyhistor')
    .description('A web archive that many people keep together.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help for a command')
    .option('--home <dir>', 'folder that holds the archive (default: $POLYHISTOR_HOME, else ~/.polyhistor)')
    .option('--json', 'print JSON for scripts')
    .addOption(new Option('-q, --quiet', 'say only what went wrong').conflicts('verbose'))
    .option('-v, --verbose', 'say more')
    .option(
      '--peer <url>',
      'ask the peer at this address (default: the one that runs on the home, if one does)',
    )
    .option('--profile <name>', 'in the private archive of this profile (see: polyhistor profile)')
    .option('--set <name=value>', 'change a setting for this run (see: polyhistor config)', collect)
    .configureHelp({
      showGlobalOptions: true,
      visibleGlobalOptions: (command) => (command === program ? [] : [...program.options]),
    })
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'polyhistor: ')) })
    .exitOverride()
    .showHelpAfterError('(--help shows what there is)')
    .addHelpText('after', helpEnd)

  const perform: Perform =
    (load) =>
    async (...given: unknown[]) => {
      const command = given.at(-1) as Command
      const context = contextFrom(command.optsWithGlobals<GlobalOptions>())
      if (context.home.of !== undefined) {
        const { checkProfile } = await import('../app/profiles/profile-home.ts')
        await checkProfile(context.home.folder, context.home.of.profile)
      }
      const work = await load()
      end((await work(context, command.args, command.opts() as never)) ?? exitCodes.ok)
    }

  await addCommands(program, perform, asked)
  program
    .command('help')
    .description('show help for a command')
    .argument('[command...]')
    .action((words: string[]) => commandNamed(program, words).outputHelp())
  return program
}

function commandNamed(program: Command, words: string[]): Command {
  let command = program
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word)
    if (next === undefined) {
      throw new UsageError(
        `There is no command ${JSON.stringify(words.join(' '))}. --help lists those that there are.`,
      )
    }
    command = next
  }
  return command
}

const helpEnd = `
Exit codes: 0 all well; 1 the answer is no, or some inputs failed; 64 and up: see docs/commands.md.
Start with: polyhistor crawl https://example.com/ --scope page`

function endedBy(error: unknown, isJson: boolean): ExitCode {
  // Commander has already printed its own; help and version end this way too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  if (error instanceof PolyhistorError) {
    const { code, message } = error
    process.stderr.write(
      isJson ? `${JSON.stringify({ error: { code, message } })}\n` : `polyhistor: ${message}\n`,
    )
  } else {
    process.stderr.write(
      `polyhistor: a fault of this program; please report it.\n${(error as Error).stack ?? error}\n`,
    )
  }
  return exitCodeOf(error)
}
