// Whether a command line is `polyhistor url` with nothing but URLs and `--json`. Imports nothing: what it would need otherwise takes longer to
// load than the command takes.

export function areUrlsAlone([command, ...given]: readonly string[]): boolean {
  const isPlain = (word: string) => word === '--json' || word === '-' || !word.startsWith('-')
  return command === 'url' && given.every(isPlain) && given.some((word) => word !== '--json')
}
