"""What the sign-in library says on our pages and in our letters, where we say it in our own way.

The library brings translations of its own; these sentences are looked up in ours first, because
theirs are missing or too familiar. Must hold the library's English to the letter.
"""

from django.utils.translation import gettext_noop

UNTRANSLATED = (gettext_noop("Reauthentication not available"),)
OUR_WAY = (
    gettext_noop("Please type your current password."),
    gettext_noop("Too many failed login attempts. Try again later."),
    gettext_noop("Your primary email address must be verified."),
    gettext_noop("You cannot add more than %d email addresses."),
    gettext_noop("Be patient, you are sending too many requests."),
    gettext_noop("You must type the same password each time."),
    gettext_noop("You must type the same email each time."),
    gettext_noop(
        "An account already exists with this email address. Please sign in to that account "
        "first, then connect your %s account."
    ),
    gettext_noop("Your account has no password set up."),
    gettext_noop("Your account has no verified email address."),
    gettext_noop("You cannot remove your primary email address."),
    gettext_noop("You cannot remove your primary email address (%(email)s)."),
    gettext_noop("Do you really want to remove the selected email address?"),
    gettext_noop("Please Confirm Your Email Address"),
    gettext_noop("Your password has been changed."),
    gettext_noop("Your email address is still pending verification."),
    gettext_noop(
        "This email confirmation link expired or is invalid. Please <a "
        'href="%(email_url)s">issue a new email confirmation request</a>.'
    ),
    gettext_noop("You have confirmed %(email)s."),
    gettext_noop("You are already logged in as %(user_display)s."),
    gettext_noop(
        "You currently do not have any email address set up. You should really add an email "
        "address so you can receive notifications, reset your password, etc."
    ),
    gettext_noop("Verify Your Email Address"),
    gettext_noop(
        "We have sent an email to you for verification. Follow the link provided to finalize "
        "the signup process. If you do not see the verification email in your main inbox, "
        "check your spam folder. Please contact us if you do not receive the verification "
        "email within a few minutes."
    ),
    gettext_noop(
        "We have sent an email to you for\nverification. Please click on the link inside that "
        "email. If you do not see the verification email in your main inbox, check your spam "
        "folder. Otherwise\ncontact us if you do not receive it within a few minutes."
    ),
    gettext_noop(
        "This part of the site requires us to verify that\nyou are who you claim to be. For "
        "this purpose, we require that you\nverify ownership of your email address. "
    ),
    gettext_noop(
        '<strong>Note:</strong> you can still <a href="%(email_url)s">change your email '
        "address</a>."
    ),
    gettext_noop("You are about to generate a new set of recovery codes for your account."),
    gettext_noop(
        "You are about to deactivate authenticator app based authentication. Are you sure?"
    ),
    gettext_noop("You are about to connect a new third-party account from %(provider)s."),
    gettext_noop("You are about to sign in using a third-party account from %(provider)s."),
    gettext_noop(
        "You decided to cancel logging in to our site using one of your existing accounts. If "
        'this was a mistake, please proceed to <a href="%(login_url)s">sign in</a>.'
    ),
)
