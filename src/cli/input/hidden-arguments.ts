// Takes secrets off the command line, where all users of the machine can read them in the process list. Imports nothing: it is
// to run before anything else.

/** Takes invitations out of what the process list shows of this process. */
export function hideInvitations(): void {
  const words = process.argv.slice(2)
  const shown = words.map((word, index) => {
    if (/^--invite=[^@-]/.test(word)) return '--invite=…'
    return words[index - 1] === '--invite' && !/^[@-]/.test(word) ? '…' : word
  })
  if (shown.some((word, index) => word !== words[index])) process.title = ['polyhistor', ...shown].join(' ')
}
