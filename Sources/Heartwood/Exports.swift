// Everything in it has package access: a program that imports this module sees nothing of it.
@_exported public import HeartwoodSystem
