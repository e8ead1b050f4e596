#!/bin/bash
# Manual pages and completion: whole, of every command, and true.
#   pages.sh PROGRAM DATA_FOLDER
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh" "$1" "$2"

commands=$("$program" help | sed -n 's/^  \([a-z]*\) .*/\1/p')
check "commands are found" [ "$(wc -w <<<"$commands")" -ge 8 ]

# ---------------------------------------------------------------- manual pages
"$program" manual >eigpack.1
check "the program's page" [ $? -eq 0 ]
for command in $commands; do
    "$program" manual "$command" >"eigpack-$command.1"
    check "manual $command" [ $? -eq 0 ]
    check "eigpack.1 names $command" grep -q "eigpack.-$command.fR(1)" eigpack.1
    # Every option that --help tells is a heading of its own.
    "$program" help "$command" | sed -n 's/^ *\(-., \)*--\([a-z-]*\).*/\2/p; /^files:/q' | sort -u >options
    check "$command has options" [ -s options ]
    while read -r option; do
        check "eigpack-$command.1 tells --$option" grep -qF -- "\\fB\\-\\-${option//-/\\-}\\fR" "eigpack-$command.1"
    done <options
done
expect 2 "unknown command 'stbez'; did you mean 'stebz'" manual stbez
if command -v mandoc >/dev/null; then
    # Without a date and with long lines of examples, as they are here.
    mandoc -Tlint -Werror ./*.1 >lint 2>&1
    check "mandoc finds no error: $(head -n 3 lint)" [ $? -eq 0 ]
fi
if command -v man >/dev/null && command -v groff >/dev/null; then
    for page in *.1; do
        MANWIDTH=100 man --warnings -l "$page" >text 2>warnings
        check "man reads $page: $(head -n 1 warnings)" [ ! -s warnings ]
        check "$page has its sections" grep -q 'EXIT STATUS' text
    done
fi

# ---------------------------------------------------------------- completion
for shell in bash zsh fish; do
    "$program" completion $shell >script.$shell
    check "completion $shell" [ $? -eq 0 ]
    if command -v $shell >/dev/null; then
        check "$shell reads it" $shell -n script.$shell
    fi
done
expect 2 'completion takes one of bash, zsh and fish' completion tcsh
expect 2 'completion takes one of bash, zsh and fish' completion

# completed WORDS...: what bash offers for the last one, on one line.
completed() {
    # shellcheck disable=SC2016 # for the inner bash
    bash -c 'source script.bash; PATH=$1:$PATH; shift; COMP_WORDS=(eigpack "$@"); COMP_CWORD=$#; _eigpack; echo "${COMPREPLY[*]}"' \
        bash "$(dirname "$program")" "$@"
}
check "ste" [ "$(completed ste)" = "stebz stemr" ]
check "stebz --enc" [ "$(completed stebz --enc)" = "--enclosures" ]
check "heev --uplo" [ "$(completed heev --uplo '')" = "L U" ]
check "bench" [ "$(completed bench ge)" = "geev" ]
check "completion" [ "$(completed completion '')" = "bash zsh fish" ]
check "help" eval '[[ " $(completed help "") " == *" stemr "* ]]'
touch matrix.npy
check "a file" [ "$(completed stebz matr)" = "matrix.npy" ]
check "a file of an option" [ "$(completed stebz --output matr)" = "matrix.npy" ]
check "generate's kinds" eval '[[ " $(completed generate "") " == *" harper "* ]]'
for command in $commands; do
    "$program" help "$command" | sed -n 's/^ *\(-., \)*\(--[a-z-]*\).*/\2/p; /^files:/q' | sort -u >options
    check "the options of $command" [ "$(completed "$command" -- | tr ' ' '\n' | grep -c '^--')" -eq "$(wc -l <options)" ]
done

# ---------------------------------------------------------------- a full disk
# What is printed and does not arrive is a failure, of pages and facts as of numbers.
if [ -w /dev/full ]; then
    for words in version help 'help heev' 'heev --help' manual 'manual stebz' 'completion bash' info; do
        # shellcheck disable=SC2086 # several words
        "$program" $words >/dev/full 2>err
        check "$words on a full disk: status 1" [ $? -eq 1 ]
        check "$words on a full disk: one sentence" [ "$(<err)" = 'eigpack: cannot write to standard output' ]
        # shellcheck disable=SC2086
        "$program" $words >&- 2>err
        check "$words without a standard output: status 1" [ $? -eq 1 ]
    done
else
    echo "no /dev/full here: a full disk is not tried"
fi

# Where the program names the words it takes, they are those that are completed.
echo '1 2' >one.txt
printf '2 1\n1 2\n' >two.txt
words_said() { sed -n "s/.*must be one of \(.*\)/\1/p" err | tr '|' '\n' | sort; }
found=0
for command in stebz stemr heev geev eigenvalues generate; do
    files=(two.txt)
    case $command in eigenvalues) files=() ;; generate) files=(harper -n 3 -o x.npy -o y.npy) ;; esac
    for option in type method format uplo sort measure layout; do
        "$program" "$command" "${files[@]}" --$option nonsense </dev/null >out 2>err
        [ -n "$(words_said)" ] || continue
        found=$((found + 1))
        check "$command --$option: $(words_said | tr '\n' ' ')" [ "$(completed "$command" --$option '' | tr ' ' '\n' | sort)" = "$(words_said)" ]
    done
done
check "words of $found options were compared" [ $found -ge 14 ]
finish
