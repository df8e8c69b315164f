/** By which the sandboxed process of a volunteer is told what to do: arguments can be read by all users of a machine. */
export const settingsVariable = 'POLYHISTOR_VOLUNTEER'
