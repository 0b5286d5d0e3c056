"""What a member launches, written down and launched again, as a CUDA graph does: numbers of the host stay what they were."""

import contextlib


def recorded(member, call):
    """A function that launches again what `call()` would launch, which launches nothing now."""
    cls, steps = type(member), []

    def launch(*args, **named):
        steps.append(lambda: cls.launch(member, *args, **named))

    @contextlib.contextmanager
    def copying(work):
        nonlocal steps
        outer, steps = steps, []
        yield
        inner, steps = steps, outer

        def beside():
            with cls.copying(member, work):
                for step in inner:
                    step()

        steps.append(beside)

    member.launch, member.copying, member.recording = launch, copying, True
    try:
        call()
    finally:
        del member.launch, member.copying, member.recording

    def replay():
        for step in steps:
            step()

    return replay
